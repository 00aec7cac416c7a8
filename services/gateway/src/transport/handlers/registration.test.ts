import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import {
  DeregisterRequestSchema,
  HeartbeatRequestSchema,
  RefusalReason,
  RegisterRequestSchema,
  RegisterStatus,
} from "@toolgate/contract";
import type { RegisterOutcome } from "@toolgate/core";
import { type AdmissionRule, Registrar } from "@toolgate/registrar";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { describe, expect, it } from "vitest";
import { aCaller, aContext } from "../../../test/worlds.ts";
import { registrationHandlers } from "./registration.ts";

const SECRET = "a secret of 16+ characters";
type Register = MessageInitShape<typeof RegisterRequestSchema>;

function open({
  keyed = false,
  rules = [],
}: {
  readonly keyed?: boolean;
  readonly rules?: readonly AdmissionRule[];
} = {}) {
  const registry = createMemoryRegistryStore({ epoch: "one" });
  const clock = createFakeClock();
  const outcomes: RegisterOutcome[] = [];
  const registrar = new Registrar({
    store: registry,
    clock,
    rules: [],
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const handlers = registrationHandlers({ registrar, registry, keyed, rules: () => rules });
  const context = keyed ? aContext({ caller: aCaller() }) : aContext();
  const register = (parts: Register = {}, by = context) => {
    const base = {
      toolset: "demo",
      instanceId: "one",
      tools: [{ name: "echo" }],
      ...(keyed ? {} : { leaseSecret: SECRET }),
    };
    return handlers.register(create(RegisterRequestSchema, { ...base, ...parts } as Register), by);
  };
  const heartbeat = (leaseId: string, leaseSecret = SECRET) =>
    handlers.heartbeat(create(HeartbeatRequestSchema, { leaseId, leaseSecret }), context);
  const deregister = (leaseId: string, tools: string[] = [], leaseSecret = SECRET) =>
    handlers.deregister(create(DeregisterRequestSchema, { leaseId, leaseSecret, tools }), context);
  return { clock, registry, register, heartbeat, deregister, handlers };
}

describe("Register", () => {
  it("gives the toolset the check of its provider, who must say where it can be asked", async () => {
    const { register, registry } = open();
    await expect(register({ check: true })).rejects.toThrow("check needs the address");
    await register({ check: true, address: "127.0.0.1:7" });
    expect(registry.snapshot().toolsets.get("demo")?.check).toEqual({
      kind: "provider",
      settings: { toolset: "demo" },
    });
  });

  it("answers for each tool, and says lease and generation", async () => {
    const { register, registry } = open();
    const response = await register({
      tools: [{ name: "a" }, { name: "b" }, { name: "a" }],
      address: "127.0.0.1:7",
      aliases: ["d"],
      lease: durationFromMs(60_000),
    });
    expect(response.outcomes).toMatchObject([
      { tool: "a", status: RegisterStatus.REGISTERED },
      { tool: "b", status: RegisterStatus.REGISTERED },
      { tool: "a", status: RegisterStatus.REFUSED, reason: RefusalReason.AMBIGUOUS_NAME },
    ]);
    expect(response.lease && durationMs(response.lease)).toBe(60_000);
    expect(response.generation).toBe("1");
    const { tools, toolsets } = registry.snapshot();
    expect(tools.get("a")?.instances).toEqual([{ leaseId: response.leaseId, address: "127.0.0.1:7" }]);
    expect(toolsets.get("demo")?.aliases).toEqual(["d"]);
  });

  it("takes the rules for what comes over the network", async () => {
    const rule: AdmissionRule = ({ name }) =>
      name === "bad" ? { reason: "ADDRESS_NOT_ALLOWED", message: "not there" } : undefined;
    const { outcomes } = await open({ rules: [rule] }).register({ tools: [{ name: "bad" }, { name: "good" }] });
    expect(outcomes).toMatchObject([
      { tool: "bad", reason: RefusalReason.ADDRESS_NOT_ALLOWED, message: "not there" },
      { tool: "good", status: RegisterStatus.REGISTERED },
    ]);
  });

  it("gives a lease of 30 s where none is asked for", async () => {
    const { lease } = await open().register();
    expect(lease && durationMs(lease)).toBe(30_000);
  });

  it("removes on replace what the same instance had in the same toolset, and nothing else", async () => {
    const { register, registry } = open();
    await register({ tools: [{ name: "a" }, { name: "b" }] });
    await register({ toolset: "other", tools: [{ name: "c" }] });
    await register({ instanceId: "two", tools: [{ name: "d" }] });
    await register({ tools: [{ name: "a" }], replace: true });
    expect([...registry.snapshot().tools.keys()].sort()).toEqual(["a", "c", "d"]);
  });

  it.each([
    [{ toolset: "" }, '"" is not a legal toolset name or alias'],
    [{ toolset: "a b" }, '"a b" is not a legal toolset name'],
    [{ toolset: "a\0b" }, "is not a legal toolset name"],
    [{ aliases: ["ok", "x/y"] }, '"x/y" is not a legal toolset name or alias'],
    [{ instanceId: "" }, "instance_id must be 1 to 128 characters"],
    [{ instanceId: "i".repeat(129) }, "instance_id must be"],
    [{ lease: durationFromMs(4_999) }, "lease must be 5 s to 1 h, not 4.999 s"],
    [{ lease: durationFromMs(3_600_001) }, "lease must be"],
    [{ lease: durationFromMs(-5_000) }, "lease must be"],
    [{ leaseSecret: "too short" }, "lease_secret must be 16 to 256 characters"],
    [{ leaseSecret: "" }, "lease_secret must be"],
    [{ leaseSecret: "s".repeat(257) }, "lease_secret must be"],
    [{ tools: Array(10_001).fill({ name: "a" }) }, "at most 10000 tools, not 10001"],
  ] as const)("refuses a request as a whole that cannot be meant: case %#", async (parts, message) => {
    const { register, registry } = open();
    await expect(register(parts as Register)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    });
    expect(registry.snapshot().generation).toBe(0);
  });
});

describe("who owns what", () => {
  it("is who knows the secret, on a gateway without keys; nobody reads the secret", async () => {
    const { register, registry } = open();
    await register();
    const { outcomes } = await register({ toolset: "theirs", leaseSecret: "another secret, as long" });
    expect(outcomes).toMatchObject([{ status: RegisterStatus.REFUSED, reason: RefusalReason.NAME_TAKEN }]);
    const text = JSON.stringify([
      ...registry.snapshot().tools.values(),
      ...registry.snapshot().toolsets.values(),
      outcomes,
    ]);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("another secret");
  });

  it("does not take a toolset from another registrant, whatever it is called", async () => {
    const { register } = open();
    await register();
    const { outcomes } = await register({ tools: [{ name: "new" }], leaseSecret: "another secret, as long" });
    expect(outcomes).toMatchObject([{ reason: RefusalReason.FORBIDDEN }]);
  });

  it("is the client, on a gateway with keys", async () => {
    const { register, registry } = open({ keyed: true });
    await register();
    expect(registry.snapshot().tools.get("echo")?.registrant).toEqual({ id: "client:ann", label: 'client "ann"' });
    const bob = aContext({ caller: { ...aCaller(), id: "bob" } });
    expect((await register({ toolset: "bobs" }, bob)).outcomes).toMatchObject([{ reason: RefusalReason.NAME_TAKEN }]);
    await expect(register({ leaseSecret: SECRET })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("leave it out"),
    });
  });
});

describe("Heartbeat and Deregister", () => {
  it("renews the lease of who knows the secret, and says how long it lasts", async () => {
    const { clock, register, heartbeat } = open();
    const { leaseId } = await register();
    clock.advance(29_000);
    const { known, lease } = await heartbeat(leaseId);
    expect([known, lease && durationMs(lease)]).toEqual([true, 30_000]);
    expect(await heartbeat(leaseId, "another secret, as long")).toMatchObject({ known: false });
    clock.advance(30_000);
    const late = await heartbeat(leaseId);
    expect([late.known, late.lease]).toEqual([false, undefined]);
    expect(await heartbeat("no such lease")).toMatchObject({ known: false });
    await expect(heartbeat(leaseId, "")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("removes the caller's own tools, and nobody else's", async () => {
    const { register, deregister, registry } = open();
    const { leaseId } = await register({ tools: [{ name: "a" }, { name: "b" }] });
    expect(await deregister(leaseId, [], "another secret, as long")).toMatchObject({ known: false, removed: [] });
    expect(await deregister(leaseId, ["b", "x"])).toMatchObject({ known: true, removed: ["b"], generation: "2" });
    expect(await deregister(leaseId)).toMatchObject({ known: true, removed: ["a"], generation: "3" });
    expect(await deregister(leaseId)).toMatchObject({ known: false });
    expect(registry.snapshot().toolsets.size).toBe(0);
  });
});
