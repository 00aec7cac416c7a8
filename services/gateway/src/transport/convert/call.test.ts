import { create, fromBinary, fromJsonString, toBinary } from "@bufbuild/protobuf";
import { CacheControl, type CallRequest, CallRequestSchema } from "@toolgate/contract";
import { describe, expect, it } from "vitest";
import { callFromMessage } from "./call.ts";

const arrival = {
  caller: { id: "ann", admin: false },
  trace: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  door: "http" as const,
  receivedAt: 7,
  deadlineAt: 9,
  signal: new AbortController().signal,
  newCallId: () => "made-here",
};

const convert = (parts: Parameters<typeof create<typeof CallRequestSchema>>[1]) =>
  callFromMessage(create(CallRequestSchema, parts), arrival);

/** A request of proto JSON, as it comes over the wire. */
function received(json: string): CallRequest {
  return fromBinary(CallRequestSchema, toBinary(CallRequestSchema, fromJsonString(CallRequestSchema, json)));
}

describe("callFromMessage", () => {
  it("takes over what the door knows and what the request says", () => {
    const { newCallId: _made, ...known } = arrival;
    const { call, problem } = convert({
      target: { case: "tool", value: "echo" },
      input: { case: "argumentsJson", value: '{"a":1}' },
      sessionId: "s",
      callId: "c",
      idempotencyKey: "once",
      cache: CacheControl.REFRESH,
      raw: true,
      fields: ["a.b"],
    });
    expect(problem).toBeUndefined();
    expect(call).toMatchObject({
      ...known,
      target: { kind: "tool", name: "echo" },
      input: { encoding: "text", text: '{"a":1}' },
      sessionId: "s",
      callId: "c",
      idempotencyKey: "once",
      cache: "refresh",
      raw: true,
      fields: ["a.b"],
      trail: { attempts: 0, warnings: [] },
    });
    expect(call).not.toHaveProperty("newCallId");
  });

  it("leaves out what the request does not say, and makes a call id", () => {
    const { call } = convert({ target: { case: "capability", value: "search" } });
    expect(call).toMatchObject({
      target: { kind: "capability", name: "search" },
      input: { encoding: "value", value: {} },
      callId: "made-here",
      cache: "default",
      raw: false,
      fields: [],
    });
    expect(call).not.toHaveProperty("sessionId");
    expect(call).not.toHaveProperty("idempotencyKey");
  });

  it.each([
    [CacheControl.UNSPECIFIED, "default"],
    [CacheControl.BYPASS, "bypass"],
    [99 as CacheControl, "default"],
  ])("reads cache control %s as %s", (cache, word) => {
    expect(convert({ target: { case: "tool", value: "x" }, cache }).call.cache).toBe(word);
  });

  it("takes arguments as a value, also by names such as __proto__", () => {
    const { call } = callFromMessage(
      received('{"tool":"x","arguments":{"__proto__":{"polluted":1},"a":[1,null]}}'),
      arrival,
    );
    const { value } = call.input as Extract<typeof call.input, { encoding: "value" }>;
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1},"a":[1,null]}');
    expect(value.polluted).toBeUndefined();
  });

  it.each([
    [{}, 'names no "tool", "capability" or "pipeline"'],
    [{ target: { case: "tool", value: "" } }, 'names no "tool"'],
    [{ target: { case: "tool", value: "x" }, callId: "c".repeat(129) }, "call_id is 129 characters long; at most 128"],
    [{ target: { case: "tool", value: "x" }, sessionId: "s".repeat(129) }, "session_id is 129"],
    [{ target: { case: "tool", value: "x" }, idempotencyKey: "k".repeat(257) }, "idempotency_key is 257"],
    [{ target: { case: "tool", value: "x" }, fields: Array(101).fill("a") }, "list of fields is longer than 100"],
  ] as const)("says what is wrong with a request, and still makes a call to answer: case %#", (parts, message) => {
    const { call, problem } = convert(parts as Parameters<typeof convert>[0]);
    expect(problem).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(problem?.message).toContain(message);
    expect(call.callId).toBe("made-here");
  });

  it.each([
    [{ n: Number.NaN }, "/n", "NaN"],
    [{ a: { "b/c~d": [1, Number.NEGATIVE_INFINITY] } }, "/a/b~1c~0d/1", "-Infinity"],
  ])("refuses numbers that JSON does not have: %j", (value, path, got) => {
    const { problem } = convert({ target: { case: "tool", value: "x" }, input: { case: "arguments", value } });
    expect(problem).toMatchObject({
      code: "INVALID_ARGUMENT",
      details: { violations: [{ path, expected: "a finite number", got }] },
    });
  });
});
