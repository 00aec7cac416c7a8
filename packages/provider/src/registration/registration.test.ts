import { status } from "@grpc/grpc-js";
import { RefusalReason, RegisterStatus } from "@toolgate/contract";
import { describe, expect, it } from "vitest";
import { GatewaySays, type ScriptedGateway, startGateway } from "../../test/scripted-gateway.ts";
import { echo, eventually, freePort, recordingLog, serving } from "../../test/serving.ts";
import { type ProviderState, RegistrationError } from "../index.ts";

const refusedAs = (reason: RefusalReason, message: string) => ({ status: RegisterStatus.REFUSED, reason, message });

/** The names in `taken` belong to somebody else. */
function refusing(gateway: ScriptedGateway, taken: Set<string>): void {
  gateway.script.heartbeat = () => ({ known: true });
  gateway.script.register = ({ tools, instanceId }) => ({
    leaseId: instanceId,
    outcomes: tools.map(({ name }) => ({
      tool: name,
      ...(taken.has(name)
        ? refusedAs(RefusalReason.NAME_TAKEN, `"${name}" belongs to another.`)
        : { status: RegisterStatus.REGISTERED }),
    })),
    lease: { seconds: 0n, nanos: 150_000_000, $typeName: "google.protobuf.Duration" },
  });
}

describe("registering", () => {
  it("sends all that the gateway needs, and is registered when serve resolves", async () => {
    const gateway = await startGateway();
    const provider = await serving({
      gateway: gateway.address,
      toolset: "weather",
      aliases: ["wx"],
      instanceId: "one",
      leaseSecret: "a-secret-of-16-and-more",
      leaseMs: 7_000,
      tools: [echo("a"), echo("b")],
    });
    expect(provider.state).toBe("registered");
    expect(gateway.registers[0]).toMatchObject({
      toolset: "weather",
      aliases: ["wx"],
      instanceId: "one",
      leaseSecret: "a-secret-of-16-and-more",
      address: provider.address,
      replace: true,
      check: false,
      lease: { seconds: 7n },
      tools: [
        { name: "a", backend: { case: "provider" } },
        { name: "b", backend: { case: "provider" } },
      ],
    });
    expect(provider.outcomes).toEqual([
      { tool: "a", status: "registered" },
      { tool: "b", status: "registered" },
    ]);
  });

  it("makes a secret and an instance id of its own where there is no key", async () => {
    const gateway = await startGateway();
    const one = await serving({ gateway: gateway.address });
    const two = await serving({ gateway: gateway.address });
    const secrets = gateway.registers.map(({ leaseSecret }) => leaseSecret);
    expect(new Set(secrets).size).toBe(2);
    expect(secrets[0]?.length).toBeGreaterThanOrEqual(32);
    expect(one.instanceId).not.toBe(two.instanceId);
  });

  it("shows the key with every request, and then sends no secret", async () => {
    const gateway = await startGateway();
    const provider = await serving({ gateway: gateway.address, apiKey: "tg_key" });
    await eventually(() => gateway.heartbeats.length).toBeGreaterThan(0);
    await provider.stop();
    expect(gateway.registers[0]?.leaseSecret).toBe("");
    expect(new Set(gateway.keys)).toEqual(new Set(["Bearer tg_key"]));
  });

  it("advertises what it is told to", async () => {
    const gateway = await startGateway();
    const provider = await serving({ gateway: gateway.address, advertise: "tools.example:7000" });
    expect(gateway.registers[0]?.address).toBe("tools.example:7000");
    expect(provider.address).toBe("tools.example:7000");
  });
});

describe("a refused tool", () => {
  it("is in outcomes, in the log and told to onRefused, and its neighbours are served", async () => {
    const gateway = await startGateway();
    refusing(gateway, new Set(["b"]));
    const log = recordingLog();
    const told: string[] = [];
    const provider = await serving({
      gateway: gateway.address,
      tools: [echo("a"), echo("b")],
      log,
      onRefused: ({ tool, reason, message }) => told.push(`${tool} ${reason} ${message}`),
    });
    expect(provider.state).toBe("registered");
    expect(provider.outcomes[1]).toMatchObject({ tool: "b", status: "refused", reason: "NAME_TAKEN" });
    expect(told).toEqual(['b NAME_TAKEN "b" belongs to another.']);
    const errors = log.entries.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ message: expect.stringContaining("belongs to another"), fields: { tool: "b" } }]);
  });

  it("is tried again until the name is free, and told once meanwhile", async () => {
    const gateway = await startGateway();
    const taken = new Set(["echo"]);
    refusing(gateway, taken);
    const told: string[] = [];
    const provider = await serving({ gateway: gateway.address, onRefused: ({ tool }) => told.push(tool) });
    await eventually(() => gateway.registers.length).toBeGreaterThan(3);
    taken.clear();
    await eventually(() => provider.outcomes).toEqual([{ tool: "echo", status: "registered" }]);
    expect(told).toEqual(["echo"]);
    const count = gateway.registers.length;
    const beats = gateway.heartbeats.length;
    await eventually(() => gateway.heartbeats.length).toBeGreaterThan(beats + 2);
    expect(gateway.registers).toHaveLength(count);
  });

  it("with a fault of its own is not tried again", async () => {
    const gateway = await startGateway();
    gateway.script.register = () => ({
      leaseId: "l",
      outcomes: [{ tool: "echo", ...refusedAs(RefusalReason.INVALID_SCHEMA, "/type: wrong") }],
      lease: { seconds: 0n, nanos: 90_000_000, $typeName: "google.protobuf.Duration" },
    });
    gateway.script.heartbeat = () => ({ known: true });
    await serving({ gateway: gateway.address });
    await eventually(() => gateway.heartbeats.length).toBeGreaterThan(5);
    expect(gateway.registers).toHaveLength(1);
  });

  it("of a status or for a reason that this library does not know counts as refused", async () => {
    const gateway = await startGateway();
    gateway.script.register = () => ({
      leaseId: "l",
      outcomes: [{ tool: "echo", status: 77 as RegisterStatus, reason: 99 as RefusalReason, message: "new" }],
    });
    const provider = await serving({ gateway: gateway.address });
    expect(provider.outcomes).toEqual([{ tool: "echo", status: "refused", reason: "UNKNOWN", message: "new" }]);
  });

  it("rejects where serve is strict, after giving the others back", async () => {
    const gateway = await startGateway();
    refusing(gateway, new Set(["b"]));
    const tools = [echo("a"), echo("b")];
    const failure = await serving({ gateway: gateway.address, tools, strict: true }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RegistrationError);
    expect(failure).toMatchObject({ message: expect.stringContaining("b: NAME_TAKEN"), outcomes: [{}, {}] });
    expect(gateway.deregisters).toHaveLength(1);
  });

  it("does no harm where onRefused throws", async () => {
    const gateway = await startGateway();
    refusing(gateway, new Set(["echo"]));
    const log = recordingLog();
    const onRefused = () => {
      throw new Error("slip");
    };
    const provider = await serving({ gateway: gateway.address, log, onRefused });
    expect(provider.state).toBe("registered");
    expect(log.entries.map(({ message }) => message)).toContain("onRefused threw");
  });
});

describe("a lease", () => {
  it("is renewed at least three times before it ends", async () => {
    const gateway = await startGateway();
    await serving({ gateway: gateway.address, instanceId: "one", leaseSecret: "a-secret-of-16-and-more" });
    await eventually(() => gateway.heartbeats.length).toBeGreaterThan(5);
    expect(gateway.registers).toHaveLength(1);
    expect(gateway.heartbeats[0]).toMatchObject({ leaseId: "one", leaseSecret: "a-secret-of-16-and-more" });
  });

  it("that the gateway does not know any more is registered again", async () => {
    const gateway = await startGateway();
    const provider = await serving({ gateway: gateway.address });
    let forgotten = false;
    gateway.script.heartbeat = () => {
      const known = forgotten;
      forgotten = true;
      return { known };
    };
    await eventually(() => gateway.registers.length).toBe(2);
    expect(provider.state).toBe("registered");
  });
});

describe("a gateway that is away", () => {
  it("at the start: serve resolves as connecting, and registers once it is there", async () => {
    const port = await freePort();
    const states: [ProviderState, string | undefined][] = [];
    const provider = await serving({
      gateway: `127.0.0.1:${port}`,
      onState: (state, problem) => states.push([state, problem]),
    });
    expect(provider.state).toBe("connecting");
    expect(provider.problem).toMatch(/No gateway at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    expect(provider.outcomes).toEqual([]);
    const gateway = await startGateway(port);
    await eventually(() => provider.state).toBe("registered");
    expect(provider.problem).toBeUndefined();
    expect(gateway.registers).toHaveLength(1);
    expect(states).toEqual([["registered", undefined]]);
  });

  it("at the start rejects where serve is strict", async () => {
    const port = await freePort();
    const failure = await serving({ gateway: `127.0.0.1:${port}`, strict: true }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "RegistrationError", message: expect.stringContaining("No gateway at") });
  });

  it("and comes back on the same port has all tools again, without anyone's help", async () => {
    const first = await startGateway(0, { leaseMs: 60_000 });
    const states: ProviderState[] = [];
    const provider = await serving({ gateway: first.address, onState: (state) => states.push(state) });
    first.crash();
    // Long before the next heartbeat, which is 16 s away.
    await eventually(() => provider.state).toBe("connecting");
    expect(provider.problem).not.toContain("undefined");
    const second = await startGateway(first.port);
    await eventually(() => provider.state).toBe("registered");
    expect(second.registers[0]).toEqual(first.registers[0]);
    expect(states).toEqual(["registered", "connecting", "registered"]);
  });

  it("is logged once, not at each try", async () => {
    const port = await freePort();
    const log = recordingLog();
    await serving({ gateway: `127.0.0.1:${port}`, log });
    const gateway = await startGateway(port, {
      register: () => {
        throw new GatewaySays(status.UNAVAILABLE, "The gateway is stopping.");
      },
    });
    await eventually(() => gateway.registers.length).toBeGreaterThan(2);
    const messages = log.entries.map(({ message }) => message);
    expect(messages.filter((message) => message.includes("No gateway at"))).toHaveLength(1);
    expect(messages.filter((message) => message.includes("is stopping"))).toHaveLength(1);
  });

  it("or says no is asked again, in its own words", async () => {
    let refuse = true;
    const gateway = await startGateway();
    const register = gateway.script.register;
    gateway.script.register = (request) => {
      if (refuse) throw new GatewaySays(status.UNAUTHENTICATED, "Send a known API key.");
      return register(request);
    };
    const log = recordingLog();
    const provider = await serving({ gateway: gateway.address, apiKey: "tg_secret", log });
    expect(provider.problem).toContain("refuses: Send a known API key.");
    expect(log.entries).toMatchObject([{ level: "error" }]);
    expect(JSON.stringify(log.entries)).not.toContain("tg_secret");
    refuse = false;
    await eventually(() => provider.state).toBe("registered");
  });

  it("does not keep serve from stopping at once", async () => {
    const provider = await serving({ gateway: `127.0.0.1:${await freePort()}` });
    await provider.stop();
    expect(provider.state).toBe("stopped");
  });

  it("does not answer at all: stopping is bounded", async () => {
    const gateway = await startGateway();
    const provider = await serving({ gateway: gateway.address });
    gateway.script.deregister = () => new Promise(() => {});
    const startedAt = performance.now();
    await provider.stop();
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });
});
