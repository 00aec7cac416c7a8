import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../json.ts";
import { geminiSchema } from "./convert.ts";
import { anyValue, type GeminiSchema } from "./schema.ts";

/** What an argument of this schema becomes. */
function argument(schema: JsonValue, rest: JsonObject = {}): GeminiSchema | undefined {
  return geminiSchema({ type: "object", properties: { x: schema }, ...rest }).properties?.x;
}

describe("what Gemini's subset can say", () => {
  it.each<[JsonValue, GeminiSchema]>([
    [
      { type: "string", description: "D" },
      { type: "STRING", description: "D" },
    ],
    [
      { type: "string", title: "T" },
      { type: "STRING", description: "T" },
    ],
    [
      { type: "string", minLength: 1, maxLength: 9, pattern: "^a" },
      { type: "STRING", minLength: 1, maxLength: 9, pattern: "^a" },
    ],
    [
      { type: "integer", minimum: 1, maximum: 9, format: "int32" },
      { type: "INTEGER", minimum: 1, maximum: 9, format: "int32" },
    ],
    [
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 2.5 },
      { type: "INTEGER", minimum: 1, maximum: 2 },
    ],
    [
      { type: "array", items: { type: "boolean" }, minItems: 1 },
      { type: "ARRAY", items: { type: "BOOLEAN" }, minItems: 1 },
    ],
    [
      { type: "string", enum: ["a", "b"] },
      { type: "STRING", enum: ["a", "b"] },
    ],
    [{ const: "a" }, { type: "STRING", enum: ["a"] }],
    [{ type: ["string", "null"] }, { type: "STRING", nullable: true }],
    [
      { type: "string", nullable: true },
      { type: "STRING", nullable: true },
    ],
    [{ enum: ["a", null] }, { type: "STRING", enum: ["a"], nullable: true }],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "STRING", nullable: true }],
    [{ type: ["string", "integer"] }, { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] }],
    [{ oneOf: [{ type: "string" }, { const: "a" }] }, { anyOf: [{ type: "STRING" }, { type: "STRING", enum: ["a"] }] }],
    [{ allOf: [{ type: "string" }, { minLength: 2 }] }, { type: "STRING", minLength: 2 }],
    [
      { type: "object", properties: { y: { type: "number" } }, required: ["y", "z"] },
      { type: "OBJECT", properties: { y: { type: "NUMBER" } }, required: ["y"] },
    ],
    [{ minimum: 3 }, { type: "NUMBER", minimum: 3 }],
  ])("%j", (schema, converted) => {
    expect(argument(schema)).toEqual(converted);
  });
});

describe("what Gemini's subset cannot say", () => {
  it("rounds numbers beyond 2^53, but tells every digit of a value", () => {
    expect(argument({ type: "integer", maximum: 9223372036854775807n })).toEqual({ type: "INTEGER", maximum: 2 ** 63 });
    expect(argument({ const: 9007199254740993n })).toEqual({
      type: "INTEGER",
      description: "One of: 9007199254740993.",
    });
  });

  it.each<[JsonValue, GeminiSchema]>([
    [{ $schema: "x", type: "string", format: "uri", default: "a", examples: ["b"] }, { type: "STRING" }],
    [{ type: "number", exclusiveMinimum: 0, multipleOf: 2 }, { type: "NUMBER" }],
    [{ type: "string", pattern: "^(?!x)" }, { type: "STRING" }],
    [{ type: "object", additionalProperties: { type: "string" }, required: ["y"] }, { type: "OBJECT" }],
    [{ enum: [1, 2] }, { type: "INTEGER", description: "One of: 1, 2." }],
    [
      { const: 5, description: "D" },
      { type: "INTEGER", description: "D One of: 5." },
    ],
    [{ const: true }, { type: "BOOLEAN", description: "One of: true." }],
    [{ enum: ["", "a", "a"] }, { type: "STRING", enum: ["a"] }],
    [{ enum: [""] }, { type: "STRING" }],
    [{ type: "array" }, { type: "ARRAY", items: anyValue() }],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "string" }] },
      { type: "ARRAY", items: { type: "STRING" } },
    ],
    [
      { type: "array", items: [{ type: "string" }, { type: "integer" }] },
      { type: "ARRAY", items: { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] } },
    ],
    [{}, anyValue()],
    [true, anyValue()],
    [{ not: { type: "string" } }, anyValue()],
    [
      { type: "null" },
      { ...anyValue(), anyOf: [{ type: "STRING", nullable: true }, ...(anyValue().anyOf?.slice(1) ?? [])] },
    ],
  ])("%j", (schema, converted) => {
    expect(argument(schema)).toEqual(converted);
  });

  it("puts what holds for a choice on its first member, as nothing may stand beside it", () => {
    expect(argument({ description: "D", anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] })).toEqual({
      anyOf: [{ type: "STRING", nullable: true, description: "D" }, { type: "INTEGER" }],
    });
  });

  it("merges an object whose fields are spread over choices", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ required: ["a"] }, { properties: { b: { type: "integer" } }, required: ["a", "b"] }],
    };
    expect(argument(schema)).toEqual({
      type: "OBJECT",
      properties: { a: { type: "STRING" }, b: { type: "INTEGER" } },
      required: ["a"],
    });
  });
});

describe("references", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, name: { type: "string" } } };

  it("are put in place", () => {
    const $defs = { "a/b": { type: "string", description: "D" } };
    expect(argument({ $ref: "#/$defs/a~1b", maxLength: 2 }, { $defs })).toEqual({
      type: "STRING",
      description: "D",
      maxLength: 2,
    });
  });

  it("end where they would not", () => {
    expect(argument({ $ref: "#/$defs/node" }, { $defs: { node } })).toEqual({
      type: "OBJECT",
      properties: { next: { type: "OBJECT" }, name: { type: "STRING" } },
    });
  });

  it.each<[string, JsonValue]>([
    ["itself", { $ref: "#/properties/x" }],
    ["itself, in parts", { allOf: [{ $ref: "#/properties/x" }] }],
    ["nothing", { $ref: "#/$defs/none" }],
    ["another document", { $ref: "https://example.com/x.json" }],
  ])("to %s are any value", (_name, schema) => {
    expect(argument(schema)).toEqual(anyValue());
  });

  it("stay bounded where a small schema means a large one", () => {
    const wide = (step: number) => ({
      type: "object",
      properties: Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { $ref: `#/$defs/d${step + 1}` }])),
    });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, step) => [`d${step}`, wide(step)]));
    expect(JSON.stringify(argument({ $ref: "#/$defs/d0" }, { $defs })).length).toBeLessThan(500_000);
  });

  it("stay bounded where they are deep", () => {
    const deep = (step: number) => ({ type: "object", properties: { x: { $ref: `#/$defs/d${step + 1}` } } });
    const $defs = Object.fromEntries(Array.from({ length: 5_000 }, (_, step) => [`d${step}`, deep(step)]));
    expect(JSON.stringify(argument({ $ref: "#/$defs/d0" }, { $defs })).length).toBeLessThan(2_000);
  });
});
