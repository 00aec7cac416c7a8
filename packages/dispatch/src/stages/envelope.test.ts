import { type Call, type Outcome, ToolgateError } from "@toolgate/core";
import { aCall, aTool } from "@toolgate/testkit/builders";
import { aSnapshot } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { envelope, type Sealed, type Tracked } from "./envelope.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1, text: "1" } };

stageSuite("envelope", {
  stage: envelope(createFakeClock()),
  call: (signal) => aCall({ signal }),
  answer: ANSWER,
  changes: { results: "it makes the envelope of them", errors: "it makes the envelope of them" },
});

const tool = aTool({ name: "web_search", toolset: "web", backend: { kind: "http", name: "search", settings: {} } });
const entry = aSnapshot([tool]).tools.get("web_search");

/** Seals what `inner` does, 12.34 ms after the call came. */
function seal(inner: (tracked: Tracked) => Outcome, parts: Partial<Call> = {}): Promise<Sealed> {
  const clock = createFakeClock();
  clock.advance(100);
  const call = aCall({ receivedAt: clock.monotonic(), target: { kind: "capability", name: "search" }, ...parts });
  return envelope(clock).run(call, async (tracked) => {
    clock.advance(12.34);
    return inner(tracked);
  });
}

const fails = (thrown: unknown) => () => {
  throw thrown;
};

describe("envelope", () => {
  it("says what was found, how it went and how long it took", async () => {
    const { envelope: sealed, entry: found } = await seal((tracked) => {
      tracked.entry = entry;
      tracked.call.trail.attempts = 2;
      tracked.call.trail.backendMs = 7.06;
      tracked.call.trail.warnings.push("mind the gap");
      return ANSWER;
    });
    expect(found).toBe(entry);
    expect(sealed).toMatchObject({ status: "success", tool: "web_search", data: ANSWER.data });
    expect(sealed.meta).toEqual({
      callId: "call-1",
      latencyMs: 12.3,
      queueMs: 0,
      backendMs: 7.1,
      cached: false,
      attempts: 2,
      toolset: "web",
      backend: "http:search",
      warnings: ["mind the gap"],
      truncated: false,
      limits: [],
    });
  });

  it("says what was asked for where no tool was found", async () => {
    const { envelope: sealed, entry: found } = await seal(fails(new ToolgateError("TOOL_NOT_FOUND", "no such")));
    expect(found).toBeUndefined();
    expect(sealed).toMatchObject({ status: "error", tool: "search", meta: { toolset: "", backend: "" } });
  });

  it("names the tool of a call that failed after it was found", async () => {
    const { envelope: sealed } = await seal((tracked) => {
      tracked.entry = entry;
      throw new ToolgateError("RATE_LIMITED", "wait", { retryAfterMs: 1200.2 });
    });
    expect(sealed).toMatchObject({
      tool: "web_search",
      error: { code: "RATE_LIMITED", class: "rate", message: "wait", retryable: true, retryAfterMs: 1201 },
    });
  });

  it.each([
    ["an error of the language", new TypeError("cannot read properties of undefined (reading '/etc/secret')")],
    ["a text", "secret"],
    ["an object", { password: "secret" }],
    ["nothing", undefined],
  ])("hides %s that was thrown behind INTERNAL, and keeps it for the observers", async (_what, thrown) => {
    const sealed = await seal(fails(thrown));
    expect(sealed.envelope).toMatchObject({ status: "error", error: { code: "INTERNAL", retryable: false } });
    expect(JSON.stringify(sealed.envelope)).not.toMatch(/secret|stack|at /);
    expect(sealed.cause).toBe(thrown);
  });

  it("keeps the cause of a known error out of the envelope, too", async () => {
    const cause = new Error("connect ECONNREFUSED 10.0.0.7:5432");
    const sealed = await seal(fails(new ToolgateError("BACKEND_UNREACHABLE", "no connection", { cause })));
    expect(sealed.cause).toBe(cause);
    expect(JSON.stringify(sealed.envelope)).not.toContain("10.0.0.7");
  });

  it("catches what is thrown before a promise is made", async () => {
    const sealed = await envelope(createFakeClock()).run(aCall(), fails(new ToolgateError("BLOCKED", "no")));
    expect(sealed.envelope).toMatchObject({ status: "error", error: { code: "BLOCKED" } });
  });
});
