import type { Backend, Instance, Invocation } from "@toolgate/core";
import { anInvocation, timeOut } from "@toolgate/testkit/backend-suite";
import { afterEach, describe, expect, it } from "vitest";
import { errorOf } from "../../test/calling.ts";
import type { GrpcServer } from "../../test/grpc-server.ts";
import { H2Server } from "../../test/h2-server.ts";
import { deadPort, TestServer } from "../../test/http-server.ts";
import { instanceAt, providerTool, startProvider, textIn } from "../../test/provider-tool.ts";
import { createProviderBackend, type ProviderBackendOptions } from "./index.ts";

const PATIENCE = { timeout: 5_000 };
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

function newBackend(options: ProviderBackendOptions = {}): Backend {
  const backend = createProviderBackend(options);
  undo.push(() => backend.close());
  return backend;
}

async function kept<T extends { stop(): unknown }>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  undo.push(() => server.stop());
  return server;
}

const echo: Parameters<typeof startProvider>[0] = (request) => ({ case: "dataJson", value: textIn(request) });
const tool = providerTool();

function invoke(backend: Backend, instances: readonly Instance[], changes: Partial<Invocation> = {}) {
  return backend.invoke(anInvocation(tool, {}, { instances, ...changes }));
}

describe("a call to one of several instances", () => {
  it("goes to another one where the first cannot be reached, within the same call", async () => {
    const server = await kept(startProvider(echo));
    const dead = instanceAt(`127.0.0.1:${await deadPort()}`);
    const backend = newBackend();
    for (let n = 0; n < 20; n += 1) await invoke(backend, [dead, instanceAt(server.address)]);
    expect(server.seen).toHaveLength(20);
  });

  it("does not wait long for one that says nothing, and then not at all", async () => {
    const server = await kept(startProvider(echo));
    const mute = await kept(TestServer.startRaw(() => {}));
    const backend = newBackend({ connectTimeoutMs: 500 });
    const instances = [instanceAt(`127.0.0.1:${mute.port}`), instanceAt(server.address)];
    for (let n = 0; n < 10; n += 1) await invoke(backend, instances, { timeoutMs: 5_000 });
    expect(server.seen).toHaveLength(10);
    await expect.poll(() => mute.connections, PATIENCE).toBe(0);
  });

  it("is spread over them", async () => {
    const servers = await Promise.all([1, 2, 3].map(() => kept(startProvider(echo))));
    const instances = servers.map(({ address }) => instanceAt(address));
    const backend = newBackend();
    for (let n = 0; n < 30; n += 1) await invoke(backend, instances);
    expect(servers.map(({ seen }) => seen.length)).toEqual([10, 10, 10]);
  });

  it("is not sent to another once it may have been delivered", async () => {
    const servers = await Promise.all(
      [1, 2].map(() =>
        kept(
          startProvider((_request, call) => {
            call.cut();
            return undefined;
          }),
        ),
      ),
    );
    const instances = servers.map(({ address }) => instanceAt(address));
    const error = await errorOf(newBackend(), tool, {}, { instances });
    expect(error.code).toBe("OUTCOME_UNKNOWN");
    expect(servers.map(({ seen }) => seen.length).sort()).toEqual([0, 1]);
  });

  it("goes to another when one refuses it unread, and is lost when one only says so", async () => {
    const server = await kept(startProvider(echo));
    const refusing = await kept(H2Server.start((stream) => stream.close(7)));
    const backend = newBackend();
    for (let n = 0; n < 4; n += 1) await invoke(backend, [instanceAt(refusing.address), instanceAt(server.address)]);
    expect(server.seen).toHaveLength(4);
  });

  it("finds an instance again that was away", async () => {
    const port = await deadPort();
    const server = await kept(startProvider(echo));
    const instances = [instanceAt(`127.0.0.1:${port}`), instanceAt(server.address)];
    const backend = newBackend();
    for (let n = 0; n < 3; n += 1) await invoke(backend, instances);
    const back = await kept(startProvider(echo, port));
    await expect
      .poll(async () => {
        await invoke(backend, instances);
        return back.seen.length;
      }, PATIENCE)
      .toBeGreaterThan(0);
  });

  it("lets running calls of an instance that is stopping end", async () => {
    const release = Promise.withResolvers<void>();
    const slow = await kept(
      startProvider(async (request) => {
        await release.promise;
        return { case: "dataJson" as const, value: textIn(request) };
      }),
    );
    const backend = newBackend();
    const running = invoke(backend, [instanceAt(slow.address)]);
    await expect.poll(() => slow.seen.length, PATIENCE).toBe(1);
    const drained = slow.drain();
    const server = await kept(startProvider(echo));
    await invoke(backend, [instanceAt(slow.address), instanceAt(server.address)]);
    release.resolve();
    expect(await running).toMatchObject({ text: "{}" });
    await drained;
    expect(server.seen).toHaveLength(1);
  });
});

describe("when no instance can be reached", () => {
  it("that is said with the address and the reason", async () => {
    const dead = `127.0.0.1:${await deadPort()}`;
    const backend = newBackend();
    const error = await errorOf(backend, tool, {}, { instances: [instanceAt(dead)] });
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", retryable: true });
    expect(error.message).toContain(`(${dead}) cannot be reached: connection refused. The call was not delivered.`);
    const again = await errorOf(backend, tool, {}, { instances: [instanceAt(dead)] });
    expect(again.message).toBe(error.message);
    expect(again.details.retryAfterMs).toBeGreaterThan(0);
  });

  it("that is said with how many there are", async () => {
    const instances = [instanceAt(`127.0.0.1:${await deadPort()}`), instanceAt("no-such-host.invalid:1")];
    const error = await errorOf(newBackend(), tool, {}, { instances });
    expect(error.message).toContain(`2 instances: ${instances[0]?.address}, no-such-host.invalid:1`);
    expect(error.message).toContain("connection refused");
    expect(error.message).toContain("cannot be resolved");
  });

  it("that is said where none has an address", async () => {
    const error = await errorOf(newBackend(), tool, {}, { instances: [{ leaseId: "1" }] });
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("address") });
  });

  it("because the time was up first, nothing was delivered", async () => {
    const mute = await kept(TestServer.startRaw(() => {}));
    const attempt = new AbortController();
    const instances = [instanceAt(`127.0.0.1:${mute.port}`)];
    const error = errorOf(newBackend(), tool, {}, { instances, signal: attempt.signal });
    await expect.poll(() => mute.connections, PATIENCE).toBe(1);
    timeOut(attempt);
    expect(await error).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("within 5 s") });
  });
});

describe("2,000 calls while instances are killed and come back", { timeout: 60_000 }, () => {
  it("are run at most once each, and only those with a lost answer are in doubt", async () => {
    const runs = new Map<string, number>();
    const work: Parameters<typeof startProvider>[0] = async (request) => {
      runs.set(request.callId, (runs.get(request.callId) ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
      return { case: "dataJson", value: textIn(request) };
    };
    const servers: GrpcServer[] = await Promise.all([1, 2, 3, 4].map(() => startProvider(work)));
    undo.push(() => Promise.all(servers.map((server) => server.stop())));
    const instances = servers.map(({ address }) => instanceAt(address));
    const backend = newBackend();
    const outcomes = new Map<string, number>();
    const callOnce = async (callId: string) => {
      const outcome = await invoke(backend, instances, { callId }).then(
        () => "ok",
        (error: { code: string }) => error.code,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      // An answer means one run, "not delivered" means none; in doubt is only what lies between.
      if (outcome !== "OUTCOME_UNKNOWN") expect(runs.get(callId) ?? 0).toBe(outcome === "ok" ? 1 : 0);
    };
    let next = 0;
    const caller = async () => {
      for (let n = next++; n < 2_000; n = next++) {
        await callOnce(`call-${n}`);
        // One instance after the other is killed, with calls under way, and comes back at its address.
        if (n % 100 === 99) await restart(servers, (n / 100) | 0, work);
      }
    };
    await Promise.all(Array.from({ length: 16 }, caller));
    expect(Math.max(...runs.values())).toBe(1);
    expect([...outcomes.values()].reduce((sum, count) => sum + count)).toBe(2_000);
    expect(outcomes.get("ok")).toBeGreaterThan(1_500);
    expect([...outcomes.keys()].every((key) => ["ok", "OUTCOME_UNKNOWN", "BACKEND_UNREACHABLE"].includes(key))).toBe(
      true,
    );
  });
});

async function restart(servers: GrpcServer[], turn: number, work: Parameters<typeof startProvider>[0]): Promise<void> {
  const place = turn % servers.length;
  const old = servers[place] as GrpcServer;
  const { port } = old;
  await old.stop();
  servers[place] = await startProvider(work, port);
}
