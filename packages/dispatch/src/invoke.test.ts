import { type Backend, ToolgateError } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { scriptedBackend, valueReply } from "@toolgate/testkit/scripted-backend";
import { describe, expect, it } from "vitest";
import { invoke } from "./invoke.ts";

const clock = createFakeClock();

function run(backend: Backend, parts: ReadyParts = {}) {
  const call = { ...aReadyCall(parts), timeoutMs: 1_000 };
  return { call, ended: invoke(new Map([[backend.kind, backend]]), clock)(call) };
}

describe("invoke", () => {
  it("hands the backend all it may know, and no more", async () => {
    const backend = scriptedBackend();
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    const caller = { id: "ann", admin: false };
    const parts = { args: { n: 1 }, argsText: '{"n":1}', idempotencyKey: "once", callId: "c", caller, trace };
    const { call, ended } = run(backend, { ...parts, sessionId: "s" });
    await ended;
    const { tool, instances } = call.entry;
    expect(backend.calls).toEqual([{ ...parts, tool, instances, timeoutMs: 1_000, signal: call.signal }]);
  });

  it("leaves out what is not known", async () => {
    const backend = scriptedBackend();
    await run(backend).ended;
    expect(backend.calls[0]).not.toHaveProperty("argsText");
    expect(backend.calls[0]).not.toHaveProperty("idempotencyKey");
  });

  it("writes down attempts, time and warnings, over all attempts", async () => {
    const backend = scriptedBackend({
      script: () => {
        clock.advance(20);
        return { ...valueReply(1), warnings: ["slow"] };
      },
    });
    const call = { ...aReadyCall(), timeoutMs: 1_000 };
    const work = invoke(new Map([["http", backend]]), clock);
    await work(call);
    await work(call);
    expect(call.trail).toMatchObject({ attempts: 2, backendMs: 40, warnings: ["slow", "slow"] });
  });

  it("writes down the attempt and its time also when it fails", async () => {
    const error = new ToolgateError("TOOL_ERROR", "no");
    const backend = scriptedBackend({
      script: () => {
        clock.advance(20);
        throw error;
      },
    });
    const { call, ended } = run(backend);
    await expect(ended).rejects.toBe(error);
    expect(call.trail).toMatchObject({ attempts: 1, backendMs: 20 });
  });

  it.each([
    ["of a kind that nobody knows", aTool({ backend: { kind: "toString", name: "x", settings: {} } })],
    ["that is not there at all", (({ backend: _none, ...tool }) => tool)(aTool())],
  ])("hides a backend %s behind INTERNAL, and tells the log", async (_what, tool) => {
    const backend = scriptedBackend();
    const { call, ended } = run(backend, { tool });
    const error = await ended.catch((thrown: ToolgateError) => thrown);
    expect(error).toMatchObject({ code: "INTERNAL" });
    expect((error as ToolgateError).message).not.toContain("echo");
    expect(String((error as ToolgateError).cause)).toContain('for the tool "echo"');
    expect(call.trail.attempts).toBe(0);
    expect(backend.calls).toEqual([]);
  });
});
