import { type CallInput, type Envelope, ERROR_CODES, type ErrorCode, factsOf, ToolgateError } from "@toolgate/core";
import { aCall } from "@toolgate/testkit/builders";
import { silence, textReply } from "@toolgate/testkit/scripted-backend";
import { describe, expect, it } from "vitest";
import { aLine, stranger } from "../test/line.ts";

const text = (json: string): { input: CallInput } => ({ input: { encoding: "text", text: json } });

function errorOf(envelope: Envelope) {
  expect(envelope.status).toBe("error");
  return (envelope as Extract<Envelope, { status: "error" }>).error;
}

describe("the line", () => {
  it("has its stages in this order", () => {
    expect(aLine().dispatcher.stages).toEqual([
      "observe",
      "envelope",
      "resolve",
      "authorize",
      "availability",
      "read-arguments",
      "coerce",
      "defaults",
      "validate",
      "delegate",
      "limits",
      "cache",
      "normalize",
      "batch",
      "retry",
      "attempt-timeout",
    ]);
  });

  it("brings arguments to the backend, complete and checked, and its answer back", async () => {
    const { backend, call } = aLine(() => textReply('{"temp": 21.0}'));
    const envelope = await call("weather", text('{"city":"Oslo"}'));
    expect(envelope).toMatchObject({
      status: "success",
      tool: "weather",
      data: { value: { temp: 21 }, text: '{"temp": 21.0}' },
      meta: { attempts: 1, toolset: "demo", backend: "http:demo.example" },
    });
    expect(backend.calls.map(({ args }) => args)).toEqual([{ city: "Oslo", units: "metric" }]);
  });

  it("finds a tool by a capability, and names it", async () => {
    const { dispatcher } = aLine();
    const envelope = await dispatcher.call(
      aCall({ target: { kind: "capability", name: "weather" }, ...text('{"city":"Oslo"}') }),
    );
    expect(envelope).toMatchObject({ status: "success", tool: "weather" });
  });

  it("hands a tool of the agent's own back, checked like any other", async () => {
    const { backend, call } = aLine();
    expect(await call("remember", text('{"city":"Oslo"}'))).toMatchObject({
      status: "delegated",
      data: { value: { city: "Oslo", units: "metric" } },
      meta: { attempts: 0, backend: "" },
    });
    expect(errorOf(await call("remember"))).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(backend.calls).toEqual([]);
  });
});

describe("refusals before the backend", () => {
  it.each([
    ["an unknown tool", "wether", {}, "TOOL_NOT_FOUND"],
    [
      "a missing scope, although the tool is down and the arguments are wrong",
      "secret_weather",
      text("{"),
      "PERMISSION_DENIED",
    ],
    ["a failing check, although the arguments are wrong", "down", text("{"), "TOOL_UNAVAILABLE"],
    ["text that is no JSON", "weather", text("{]"), "INVALID_ARGUMENT"],
    ["arguments that do not fit", "weather", text("{}"), "INVALID_ARGUMENT"],
  ] as const)("answers an envelope for %s", async (_what, name, parts, code) => {
    const { backend, call } = aLine();
    const envelope = await call(name, { caller: stranger, ...parts });
    expect(errorOf(envelope)).toMatchObject({
      code,
      class: factsOf(code).class,
      retryable: factsOf(code).callerMayRetry,
    });
    expect(envelope).toMatchObject({ tool: name, meta: { callId: "call-1", attempts: 0 } });
    expect(backend.calls).toEqual([]);
  });

  it("suggests only tools that the caller may call", async () => {
    const { call } = aLine();
    expect(errorOf(await call("secret_wether", { caller: stranger })).nearNames).toEqual([]);
    expect(errorOf(await call("secret_wether")).nearNames).toEqual(["secret_weather"]);
  });

  it.each(["__proto__", "constructor", "toString"])(
    "security-12 (node-config/node-config#906): knows no tool %s",
    async (name) => {
      expect(errorOf(await aLine().call(name))).toMatchObject({ code: "TOOL_NOT_FOUND" });
    },
  );

  it("coercion-12 (brightwave-inc/tidebreak#1129): never hands cut-off arguments to a backend", async () => {
    const { backend, call } = aLine();
    const error = errorOf(await call("echo", text('{"path":"a","content":"hel')));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("cut off") });
    expect(backend.calls).toEqual([]);
  });

  it("watch-08 (openlinker-project/openlinker#1932): refuses a tool that was switched off, with the reason", async () => {
    const { backend, call } = aLine(undefined, { disabledTools: new Set(["echo"]) });
    expect(errorOf(await call("echo"))).toMatchObject({
      code: "TOOL_UNAVAILABLE",
      message: expect.stringContaining("switched off by an operator"),
    });
    expect(backend.calls).toEqual([]);
  });
});

describe("what the backend does", () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("passes %s on as it was thrown", async (code) => {
    const { call, backend } = aLine(() => {
      throw new ToolgateError(code, "in the backend's words", { cause: new Error("not for callers") });
    });
    const envelope = await call("echo");
    expect(errorOf(envelope)).toMatchObject({ code, message: "in the backend's words", class: factsOf(code).class });
    expect(JSON.stringify(envelope)).not.toContain("not for callers");
    expect(backend.calls).toHaveLength(1);
  });

  it("hides what it did not throw on purpose, and tells only the observers", async () => {
    const cause = new Error("password=hunter2 at /srv/app/secret.ts");
    const { call, ended } = aLine(() => {
      throw cause;
    });
    const envelope = await call("echo");
    expect(errorOf(envelope)).toMatchObject({ code: "INTERNAL", retryable: false });
    expect(JSON.stringify(envelope)).not.toMatch(/hunter2|secret\.ts/);
    expect(ended).toMatchObject([{ envelope, cause, entry: { tool: { name: "echo" } } }]);
  });

  it("hides a tool without a backend behind INTERNAL", async () => {
    expect(errorOf(await aLine().call("homeless"))).toMatchObject({ code: "INTERNAL" });
  });

  it("answers RESULT_INVALID for a bad result, after one call", async () => {
    const { call, backend } = aLine(() => textReply("<html>busy</html>", "text/html"));
    expect(errorOf(await call("mapped"))).toMatchObject({ code: "RESULT_INVALID" });
    expect(backend.calls).toHaveLength(1);
  });
});

describe("deadlines and callers that go", () => {
  it.each([
    ["idempotent", "echo", "BACKEND_TIMEOUT", 30_000],
    ["not idempotent: it may have run", "pay", "OUTCOME_UNKNOWN", 5_000],
  ] as const)("ends a silent tool at its timeout when it is %s", async (_what, name, code, timeoutMs) => {
    const { call, clock } = aLine(silence);
    const envelope = call(name);
    await clock.advanceAsync(timeoutMs);
    expect(errorOf(await envelope).code).toBe(code);
    expect((await envelope).meta).toMatchObject({ attempts: 1, backendMs: timeoutMs, latencyMs: timeoutMs });
    expect(clock.pending).toBe(0);
  });

  it("gives the backend what the caller's deadline leaves, and ends then", async () => {
    const { call, clock, backend } = aLine(silence);
    clock.advance(100);
    const envelope = call("echo", { receivedAt: 100, deadlineAt: 350 });
    expect(backend.calls[0]?.timeoutMs).toBe(250);
    await clock.advanceAsync(250);
    expect(errorOf(await envelope).code).toBe("BACKEND_TIMEOUT");
  });

  it("does not call a backend when the deadline has passed already", async () => {
    const { call, clock, backend } = aLine();
    clock.advance(100);
    expect(errorOf(await call("pay", { deadlineAt: 99 }))).toMatchObject({
      code: "BACKEND_UNREACHABLE",
      retryable: true,
    });
    expect(backend.calls).toEqual([]);
  });

  it("stops the backend and answers CANCELLED when the caller goes", async () => {
    const { call, clock, backend, ended } = aLine(silence);
    const gone = new AbortController();
    const envelope = call("pay", { signal: gone.signal });
    expect(backend.calls[0]?.signal.aborted).toBe(false);
    gone.abort(new DOMException("The caller went away", "AbortError"));
    expect(errorOf(await envelope).code).toBe("CANCELLED");
    expect(backend.calls[0]?.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
    expect(ended).toHaveLength(1);
  });

  it("does not call a backend for a caller that has gone already", async () => {
    const { call, backend } = aLine();
    const gone = new AbortController();
    gone.abort();
    expect(errorOf(await call("pay", { signal: gone.signal })).code).toBe("CANCELLED");
    expect(backend.calls).toEqual([]);
  });
});
