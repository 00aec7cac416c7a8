import { CacheControl } from "@toolgate/contract";
import { MAX_JSON_DEPTH } from "@toolgate/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DoorError } from "../door-error.ts";
import { readCallBody } from "./call-body.ts";

function refusal(body: string): string {
  try {
    readCallBody(body);
  } catch (error) {
    expect(error).toBeInstanceOf(DoorError);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    return (error as DoorError).message;
  }
  return expect.fail(`The body was taken: ${body.slice(0, 100)}`);
}

describe("readCallBody", () => {
  it("reads the body of the article: a tool and its params", () => {
    const request = readCallBody('{"tool": "weather", "params": {"city": "Beijing"}}');
    expect(request.target).toEqual({ case: "tool", value: "weather" });
    expect(request.input).toEqual({ case: "argumentsJson", value: '{"city":"Beijing"}' });
    expect(request).toMatchObject({ sessionId: "", callId: "", idempotencyKey: "", raw: false, fields: [] });
  });

  it("reads everything that a call can say", () => {
    const body = {
      capability: "search",
      params: {},
      session_id: "s",
      call_id: "c",
      idempotency_key: "k",
      cache: "refresh",
      raw: true,
      fields: ["a.b"],
    };
    expect(readCallBody(JSON.stringify(body))).toMatchObject({
      target: { case: "capability", value: "search" },
      sessionId: "s",
      callId: "c",
      idempotencyKey: "k",
      cache: CacheControl.REFRESH,
      raw: true,
      fields: ["a.b"],
    });
  });

  it.each([
    ["default", CacheControl.UNSPECIFIED],
    ["bypass", CacheControl.BYPASS],
    [null, CacheControl.UNSPECIFIED],
  ])("reads cache %j", (cache, expected) => {
    expect(readCallBody(JSON.stringify({ tool: "x", cache })).cache).toBe(expected);
  });

  it("takes null for a key that is not there", () => {
    const keys = ["tool", "pipeline", "params", "session_id", "call_id", "idempotency_key", "cache", "raw", "fields"];
    const nulls = Object.fromEntries(keys.map((key) => [key, null]));
    const request = readCallBody(JSON.stringify({ ...nulls, capability: "search" }));
    expect(request.target).toEqual({ case: "capability", value: "search" });
    expect(request.input.value).toBe("{}");
  });

  it("leaves a call without a target to the gateway, which answers an envelope", () => {
    expect(readCallBody("{}").target.case).toBeUndefined();
    expect(readCallBody('{"tool":""}').target).toEqual({ case: "tool", value: "" });
  });

  it("keeps every digit of the params (anthropics/claude-code#78762)", () => {
    expect(readCallBody('{"tool":"x","params":{"id":1917043659912705296}}').input.value).toBe(
      '{"id":1917043659912705296}',
    );
  });

  it("takes params that are text as they are", () => {
    expect(readCallBody('{"tool":"x","params":"{\\"id\\": 1.0}"}').input.value).toBe('{"id": 1.0}');
  });

  it("security-12 (node-config/node-config#906): takes __proto__ for a name like any other", () => {
    expect(readCallBody('{"tool":"__proto__","params":{"__proto__":{"a":1}}}')).toMatchObject({
      target: { value: "__proto__" },
      input: { value: '{"__proto__":{"a":1}}' },
    });
    expect(refusal('{"tool":"x","__proto__":{"raw":true}}')).toContain('Unknown key "__proto__"');
  });

  it.each([
    ['{"tool":"x",}', "It breaks at character 13."],
    ['{"tool":"x"', "It breaks at character 12."],
    [
      `{"params":${"[".repeat(MAX_JSON_DEPTH)}${"]".repeat(MAX_JSON_DEPTH)}}`,
      `nested more than ${MAX_JSON_DEPTH} levels`,
    ],
    ['{"tool":"x","params":{"n":1e999}}', "The number 1e999 is out of range."],
    ["tool=x", "The body is not valid JSON."],
    ["[1]", "not of type array"],
    ["null", "not of type null"],
    ['{"tool":1}', '"tool" must be a string, not of type integer'],
    ['{"tool":"x","params":[1]}', '"params" must be an object, or the JSON text of one, not of type array'],
    ['{"tool":"x","session_id":7}', '"session_id" must be a string'],
    ['{"tool":"x","raw":"yes"}', '"raw" must be true or false'],
    ['{"tool":"x","cache":"toString"}', '"cache" must be "default", "bypass" or "refresh"'],
    ['{"tool":"x","fields":"a"}', '"fields" must be an array of strings'],
    ['{"tool":"x","fields":[1]}', '"fields" must be an array of strings'],
    ['{"tool":"x","capability":"y"}', 'Name one of "tool" and "capability", not both.'],
    ['{"tool":"x","arguments":{}}', 'Unknown key "arguments" in the body. Did you mean "params"?'],
    ['{"tool":"x","sesion_id":"s"}', 'Did you mean "session_id"?'],
    ['{"tool":"x","something":1}', "Known keys: tool, capability, pipeline, params"],
  ])("says what is wrong with %j", (body, message) => {
    expect(refusal(body)).toContain(message);
  });

  it("quotes only the beginning of what is long", () => {
    expect(refusal(`{"${"k".repeat(100_000)}":1}`).length).toBeLessThan(300);
    expect(refusal(`{"tool":"x","params":{"n":1.${"1".repeat(100_000)}e999}}`).length).toBeLessThan(400);
  });

  it("throws a DoorError and nothing else, whatever the body", () => {
    const keys = fc.constantFrom("tool", "capability", "params", "raw", "cache", "fields", "session_id", "__proto__");
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(keys, fc.jsonValue()).map((body) => JSON.stringify(body)),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        try {
          expect(readCallBody(body).input.case).toBe("argumentsJson");
        } catch (error) {
          expect(error).toMatchObject({ name: "DoorError", code: "INVALID_ARGUMENT" });
        }
      }),
      { numRuns: 500 },
    );
  });
});
