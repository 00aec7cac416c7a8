import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { status } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { callerOf, endingOf } from "../test/calling.ts";
import { startGateway } from "../test/scripted-gateway.ts";
import { echo, eventually, recordingLog, serving } from "../test/serving.ts";
import { defineTool, type ProviderState } from "./index.ts";

const { promise: never } = Promise.withResolvers<never>();

describe("stop", () => {
  it("deregisters, lets a running call finish, refuses new ones, and ends; once", async () => {
    const gateway = await startGateway();
    const states: ProviderState[] = [];
    const finish = Promise.withResolvers<string>();
    const started = Promise.withResolvers<void>();
    const slow = defineTool({
      name: "slow",
      description: "d",
      schema: {},
      handler() {
        started.resolve();
        return finish.promise;
      },
    });
    const provider = await serving({
      gateway: gateway.address,
      tools: [slow, echo()],
      leaseSecret: "a-secret-of-16-and-more",
      graceMs: 10_000,
      onState: (state) => states.push(state),
    });
    const caller = callerOf(provider);
    const running = caller.invoke("slow", "{}");
    await started.promise;
    const stopped = provider.stop();
    expect(provider.stop()).toBe(stopped);
    expect(provider.state).toBe("draining");
    await eventually(() => gateway.deregisters.length).toBe(1);
    expect(gateway.deregisters[0]).toMatchObject({ tools: [], leaseSecret: "a-secret-of-16-and-more" });
    await eventually(async () => {
      const refusal = await caller.invoke("echo", "{}").catch((error: { code: status }) => error);
      return "code" in refusal ? refusal.code : undefined;
    }).toBe(status.UNAVAILABLE);
    finish.resolve("done");
    expect(endingOf(await running)).toBe('"done"');
    await stopped;
    expect(provider.state).toBe("stopped");
    expect(states).toEqual(["registered", "draining", "stopped"]);
  });

  it("takes calls until it is deregistered", async () => {
    const gateway = await startGateway();
    const deregistered = Promise.withResolvers<void>();
    gateway.script.deregister = async () => {
      await deregistered.promise;
      return { known: true };
    };
    const provider = await serving({ gateway: gateway.address });
    const stopped = provider.stop();
    expect(endingOf(await callerOf(provider).invoke("echo", '{"a":1}'))).toBe('{"a":1}');
    deregistered.resolve();
    await stopped;
  });

  it("aborts what still runs when the grace time is over", async () => {
    const gateway = await startGateway();
    const log = recordingLog();
    const started = Promise.withResolvers<void>();
    const reason = Promise.withResolvers<Error>();
    const tool = defineTool({
      name: "deaf",
      description: "d",
      schema: {},
      handler(_args, { signal }) {
        started.resolve();
        signal.addEventListener("abort", () => reason.resolve(signal.reason));
        return never;
      },
    });
    const provider = await serving({ gateway: gateway.address, tools: [tool], graceMs: 50, log });
    const running = callerOf(provider)
      .invoke("deaf", "{}")
      .catch(() => "lost");
    await started.promise;
    await provider.stop();
    expect((await reason.promise).message).toBe("The provider is stopping");
    expect(await running).toBe("lost");
    expect(log.entries).toContainEqual(expect.objectContaining({ fields: { toolset: "test", calls: 1 } }));
  });
});

/** A provider in a process of its own; resolves when it is registered. */
async function childProvider(gateway: string, ...flags: string[]) {
  const file = join(import.meta.dirname, "../test/child-provider.ts");
  const child = spawn(process.execPath, [file, gateway, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
  await eventually(() => lines[0]).toMatch(/^serving /);
  return { child, lines, ended, address: (lines[0] as string).slice("serving ".length) };
}

describe("SIGTERM", () => {
  it("drains: the running call is answered, the tools are deregistered, the process ends well", async () => {
    const gateway = await startGateway();
    const { child, lines, ended, address } = await childProvider(gateway.address);
    const running = callerOf({ address }).invoke("slow", "{}");
    await eventually(() => lines).toContain("slow began");
    child.kill("SIGTERM");
    await eventually(() => gateway.deregisters.length).toBe(1);
    expect(endingOf(await running)).toBe('"finished"');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(lines.slice(-2)).toEqual(["draining", "stopped"]);
  });

  it("twice ends the process at once", async () => {
    const gateway = await startGateway();
    const { child, lines, ended, address } = await childProvider(gateway.address);
    const running = callerOf({ address })
      .invoke("endless", "{}")
      .catch(() => "lost");
    await eventually(() => lines).toContain("endless began");
    child.kill("SIGTERM");
    await eventually(() => lines).toContain("draining");
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: null, signal: "SIGTERM" });
    expect(await running).toBe("lost");
  });

  it("is left alone with handleSignals: false", async () => {
    const gateway = await startGateway();
    const { child, lines, ended } = await childProvider(gateway.address, "--leave-signals");
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: null, signal: "SIGTERM" });
    expect(lines).not.toContain("draining");
    expect(gateway.deregisters).toHaveLength(0);
  });

  it("leaves the end of the process to whoever else listens for it", async () => {
    const gateway = await startGateway();
    const { child, lines, ended } = await childProvider(gateway.address, "--own-cleanup");
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 7, signal: null });
    expect(lines.slice(-2)).toEqual(["stopped", "own cleanup done"]);
    expect(gateway.deregisters).toHaveLength(1);
  });
});
