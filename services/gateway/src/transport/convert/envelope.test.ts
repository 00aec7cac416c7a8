import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { type Envelope as EnvelopeMessage, EnvelopeSchema } from "@toolgate/contract";
import { type Data, fail, type JsonValue, ok, parseJson, ToolgateError } from "@toolgate/core";
import { aCall } from "@toolgate/testkit/builders";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envelopeToMessage } from "./envelope.ts";

const call = aCall({ callId: "c" });
const ending = { call, entry: undefined, now: 12.34 };
const success = (data: Data) => ok({ kind: "success", data }, ending);

/** As the other side reads it. */
function sent(message: EnvelopeMessage): EnvelopeMessage {
  return fromBinary(EnvelopeSchema, toBinary(EnvelopeSchema, message));
}

function dataSent(value: JsonValue): unknown {
  const message = sent(envelopeToMessage(success({ value }), "value"));
  expect(message.payload.case).toBe("data");
  return (toJson(EnvelopeSchema, message) as { data: unknown }).data;
}

describe("envelopeToMessage", () => {
  it("says status, tool and how it went", () => {
    const trailed = {
      ...call.trail,
      attempts: 2,
      warnings: ["w"],
      limits: [{ name: "l", limit: 3, remaining: 1, resetMs: 9, windowMs: 60_000 }],
    };
    const envelope = ok({ kind: "delegated", data: { value: {} } }, { ...ending, call: { ...call, trail: trailed } });
    expect(sent(envelopeToMessage(envelope, "value"))).toMatchObject({
      status: "delegated",
      tool: "echo",
      meta: {
        callId: "c",
        latencyMs: 12.3,
        attempts: 2,
        warnings: ["w"],
        limits: [{ name: "l", limit: 3, remaining: 1, resetMs: 9, windowMs: 60_000 }],
      },
    });
  });

  it("gives a caller who sent text the exact text", () => {
    const text = '{"Id": 1917043659912705296, "x": 1.0}';
    const message = envelopeToMessage(success({ value: parseJson(text), text }), "text");
    expect(sent(message).payload).toEqual({ case: "dataJson", value: text });
  });

  it("writes the text of a result that has none any more", () => {
    const message = envelopeToMessage(success({ value: { Id: 1917043659912705296n } }), "text");
    expect(message.payload.value).toBe('{"Id":1917043659912705296}');
  });

  it.each([[{ a: 1, b: [1, { c: null }], d: {} }], [[{ a: 1 }, "x", true]], ["text"], [1.5], [null]])(
    "gives a caller who sent a value a value: %j",
    (value) => {
      expect(dataSent(value)).toEqual(value);
    },
  );

  it("gives any value back as it was", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.stringify(dataSent(value as JsonValue))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("keeps a result's member named __proto__", () => {
    expect(JSON.stringify(dataSent(parseJson('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}');
  });

  it("http-08 (anthropics/claude-code#78762): gives the digits of a large integer as text, and says so", () => {
    const message = sent(envelopeToMessage(success({ value: { Id: 1917043659912705296n } }), "value"));
    expect(toJson(EnvelopeSchema, message)).toMatchObject({ data: { Id: "1917043659912705296" } });
    expect(message.meta?.warnings).toEqual([expect.stringContaining("send arguments_json")]);
    expect(call.trail.warnings).toEqual([]);
  });

  it.each([
    ["is nested deeper than clients read", `${'{"a":['.repeat(20)}1${"]}".repeat(20)}`, undefined],
    ["has a number that is none", '{"n":null}', { n: Number.NaN }],
  ])("gives a result as text that %s, and says so", (_what, text, value) => {
    const message = sent(envelopeToMessage(success({ value: value ?? parseJson(text) }), "value"));
    expect(message.payload).toEqual({ case: "dataJson", value: text });
    expect(message.meta?.warnings).toEqual([expect.stringContaining("given as JSON text")]);
  });

  it("says everything about an error", () => {
    const error = new ToolgateError("RATE_LIMITED", "wait", {
      retryAfterMs: 1_200.4,
      violations: [{ path: "/a", expected: "b", got: "c" }],
      backendAnswer: { status: "429", body: "slow down" },
      nearNames: ["near"],
      cause: new Error("not for callers"),
    });
    const message = sent(envelopeToMessage(fail(error, ending), "text"));
    expect(message.payload.case).toBeUndefined();
    expect(toJson(EnvelopeSchema, message, { useProtoFieldName: true })).toMatchObject({
      status: "error",
      error: {
        code: "RATE_LIMITED",
        class: "rate",
        message: "wait",
        retryable: true,
        retry_after_ms: 1_201,
        violations: [{ path: "/a", expected: "b", got: "c" }],
        backend_answer: { status: "429", body: "slow down" },
        near_names: ["near"],
      },
    });
    expect(JSON.stringify(toJson(EnvelopeSchema, message))).not.toContain("not for callers");
  });

  it("says the longest wait that a message can hold where a backend asks for more", () => {
    const error = new ToolgateError("RATE_LIMITED", "wait", { retryAfterMs: 999_999_999_000 });
    expect(sent(envelopeToMessage(fail(error, ending), "text")).error?.retryAfterMs).toBe(0xffff_ffff);
  });

  it("leaves the wait out where it is not known", () => {
    const message = sent(envelopeToMessage(fail(new ToolgateError("OVERLOADED", "busy"), ending), "text"));
    expect(message.error?.retryAfterMs).toBeUndefined();
  });
});
