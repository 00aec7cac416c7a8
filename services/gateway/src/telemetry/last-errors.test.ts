import { type Command, checkKey, fail, type ToolEntry, ToolgateError, type ToolsetEntry } from "@toolgate/core";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { aCall, anOffer, aRegister, aRegistrant, aTool } from "@toolgate/testkit/builders";
import { describe, expect, it } from "vitest";
import { LastErrors } from "./last-errors.ts";

const check = { kind: "env", settings: { name: "KEY" } };
const failing = (at: number): Command => ({
  type: "setHealth",
  checkKey: checkKey(check),
  health: {
    state: "unavailable",
    reason: "it is not set",
    checkedAt: at,
    lastFailure: { reason: "it is not set", at },
  },
});

async function open() {
  const store = createMemoryRegistryStore({ epoch: "one" });
  await store.apply(aRegister({ toolsets: [anOffer({ tools: ["echo", aTool({ name: "checked", check })] })] }));
  const time = { now: 10 };
  const errors = new LastErrors(store, () => time.now);
  const entry = (name: string) => store.snapshot().tools.get(name) as ToolEntry;
  /** Has a call of this tool end so. */
  const call = (name: string, error: ToolgateError, attempts = 1) => {
    const ending = { call: aCall({ trail: { ...aCall().trail, attempts } }), entry: entry(name), now: 500 };
    errors.calls.ended({ ...ending, envelope: fail(error, ending) });
  };
  const of = (name: string) => errors.of(store.snapshot(), entry(name));
  const ofToolset = (shows: (entry: ToolEntry) => boolean = () => true) =>
    errors.ofToolset(store.snapshot(), store.snapshot().toolsets.get("demo") as ToolsetEntry, shows);
  return { store, time, errors, call, of, ofToolset };
}

const refused = new ToolgateError("BACKEND_UNREACHABLE", "The backend of it cannot be reached: connection refused.");

describe("the last error of a tool", () => {
  it("is nothing before anything went wrong", async () => {
    const { of, ofToolset } = await open();
    expect([of("echo"), of("checked"), ofToolset()]).toEqual([undefined, undefined, undefined]);
  });

  it("is the newest of its calls, its refused definitions and its check", async () => {
    const { of, call, errors, time, store } = await open();
    call("checked", refused);
    const message = "The backend of it cannot be reached: connection refused.";
    expect(of("checked")).toMatchObject({ during: "call", code: "BACKEND_UNREACHABLE", message, at: 10 });
    await store.apply(failing(20));
    expect(of("checked")).toEqual({ during: "check", code: "", message: "it is not set", at: 20, tool: "checked" });
    time.now = 30;
    const outcome = { tool: "checked", status: "refused", reason: "TOO_LARGE", message: "too large" } as const;
    errors.registration(outcome, aRegistrant());
    expect(of("checked")).toMatchObject({ during: "registration", code: "TOO_LARGE", message: "too large", at: 30 });
    expect(of("echo")).toBeUndefined();
  });

  it("repeats nothing of what a caller sent or was answered", async () => {
    const { of, call } = await open();
    const secret = "the caller's secret";
    const backendAnswer = { status: "422", body: secret };
    for (const [error, message] of [
      [new ToolgateError("TOOL_ERROR", secret, { backendAnswer }), "The tool answered with an error (422)."],
      [new ToolgateError("RESULT_INVALID", secret), "The answer could not be used"],
      [new ToolgateError("RESULT_TOO_LARGE", secret), "The answer was larger"],
    ] as const) {
      call("echo", error);
      expect(of("echo")).toMatchObject({ code: error.code, message: expect.stringContaining(message) });
      expect(JSON.stringify(of("echo"))).not.toContain(secret);
    }
  });

  it("is not what is the caller's own doing, nor what reached no backend", async () => {
    const { of, call } = await open();
    for (const code of ["INVALID_ARGUMENT", "PERMISSION_DENIED", "CANCELLED", "INTERNAL"] as const)
      call("echo", new ToolgateError(code, "no"));
    call("echo", refused, 0);
    expect(of("echo")).toBeUndefined();
  });

  it("is not that of another owner's tool of the same name", async () => {
    const { of, call, errors, store } = await open();
    const outcome = { tool: "echo", status: "refused", reason: "NAME_TAKEN", message: "taken" } as const;
    errors.registration(outcome, aRegistrant("bob"));
    expect(of("echo")).toBeUndefined();
    call("echo", refused);
    await store.apply({ type: "deregister", leaseId: "alice-1", registrantId: "alice", tools: [] });
    await store.apply(aRegister({ by: "bob", toolsets: [anOffer({ tools: ["echo"] })] }));
    expect(of("echo")).toBeUndefined();
  });

  it("is forgotten of tools that are gone, once they are many", async () => {
    const { store, errors, call, of } = await open();
    for (let n = 0; n < 1_100; n++) {
      await store.apply(aRegister({ lease: "brief", replace: true, toolsets: [anOffer({ tools: [`t${n}`] })] }));
      call(`t${n}`, refused);
    }
    expect(errors.remembered).toBeLessThan(1_010);
    call("echo", refused);
    expect(of("echo")).toBeDefined();
  });
});

describe("the last error of a toolset", () => {
  it("is the newest of its check and of its tools, as far as they may be told of", async () => {
    const { ofToolset, call, time, store } = await open();
    call("echo", refused);
    expect(ofToolset()).toMatchObject({ tool: "echo", at: 10 });
    time.now = 20;
    await store.apply(failing(20));
    expect(ofToolset()).toMatchObject({ tool: "checked", during: "check" });
    expect(ofToolset(({ tool }) => tool.name !== "checked")).toMatchObject({ tool: "echo" });
    expect(ofToolset(() => false)).toBeUndefined();
  });

  it("is its own check's where tools only share it", async () => {
    const { store, errors } = await open();
    await store.apply(aRegister({ lease: "two", toolsets: [anOffer({ name: "web", check, tools: ["a"] })] }));
    await store.apply(failing(20));
    const snapshot = store.snapshot();
    const web = snapshot.toolsets.get("web") as ToolsetEntry;
    expect(errors.ofToolset(snapshot, web, () => true)).toMatchObject({ tool: "", during: "check" });
  });
});
