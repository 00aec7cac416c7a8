import type { JsonObject, JsonValue, SchemaDocument } from "@toolgate/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSchemaCompiler } from "./index.ts";

const schemas = createSchemaCompiler();

function document(value: JsonObject | boolean): SchemaDocument {
  return { text: JSON.stringify(value), value };
}

function violations(schema: JsonObject, value: JsonValue) {
  return schemas.validate(document(schema), value);
}

describe("violations", () => {
  it("come all at once, each with place, expectation and what was there", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "integer", maximum: 10 },
        unit: { enum: ["c", "f"] },
        exact: { type: "boolean" },
      },
      required: ["city"],
      additionalProperties: false,
    };
    expect(violations(schema, { days: 11, unit: "k", exct: true })).toEqual([
      { path: "/city", expected: "string (required)", got: "nothing" },
      { path: "/exct", expected: 'no such property; did you mean "exact"?', got: "boolean true" },
      { path: "/days", expected: "at most 10", got: "integer 11" },
      { path: "/unit", expected: 'one of "c", "f"', got: 'string "k"' },
    ]);
  });

  it("tell of a choice what it offers", () => {
    expect(violations({ anyOf: [{ type: "string" }, { type: "null" }] }, 3)).toEqual([
      { path: "", expected: "string or null", got: "integer 3" },
    ]);
  });

  it("tell the errors of the branch that was clearly meant", () => {
    const kind = (name: string, key: string) => ({
      type: "object",
      properties: { kind: { const: name }, [key]: { type: "integer" } },
      required: ["kind", key],
    });
    const schema = { oneOf: [kind("circle", "radius"), kind("square", "side")] };
    expect(violations(schema, { kind: "square", side: 1 })).toEqual([]);
    expect(violations(schema, { kind: "square" })).toEqual([
      { path: "/side", expected: "integer (required)", got: "nothing" },
    ]);
  });

  it("are at most 50", () => {
    const items = Array.from({ length: 500 }, (_, i) => i);
    expect(violations({ items: { type: "string" } }, items)).toHaveLength(50);
  });

  it("show at most a hundred characters of what was there", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        for (const { got } of violations({ not: {} }, value as JsonValue)) expect(got.length).toBeLessThanOrEqual(100);
      }),
    );
  });

  it("name places by JSON Pointer", () => {
    expect(violations({ required: ["a/b", "c~d"] }, {}).map(({ path }) => path)).toEqual(["/a~1b", "/c~0d"]);
  });
});

describe("numbers and patterns", () => {
  it("integers beyond 2^53 are integers", () => {
    expect(violations({ type: "integer" }, 1917043659912705296n)).toEqual([]);
    expect(violations({ type: "integer", maximum: 10 }, 1917043659912705296n)).toHaveLength(1);
    expect(violations({ type: "string" }, 1917043659912705296n)).toHaveLength(1);
  });

  it("no pattern can hang", () => {
    const startedAt = performance.now();
    expect(violations({ pattern: "^(a+)+$" }, `${"a".repeat(5_000)}!`)).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it("patterns are told apart", () => {
    const schema = { properties: { a: { pattern: "^a" }, b: { pattern: "^b" } } };
    expect(violations(schema, { a: "a", b: "b" })).toEqual([]);
    expect(violations(schema, { a: "b", b: "a" }).map(({ path }) => path)).toEqual(["/a", "/b"]);
  });
});

describe("inspect", () => {
  const problems = (value: unknown) => schemas.inspect({ text: JSON.stringify(value), value: value as JsonObject });

  it.each([
    [null, "", /must be a JSON object/],
    ["text", "", /must be a JSON object/],
    [[], "", /must be a JSON object/],
    [
      { $schema: "http://json-schema.org/draft-04/schema#" },
      "/$schema",
      /dialect .+ is not known; use draft-07, 2019-09, 2020-12/,
    ],
    [{ $schema: 7 }, "/$schema", /is not known/],
    [{ properties: { d: { type: "dict" } } }, "/properties/d/type", /did you mean "object"\?/],
    [{ type: ["string", "String"] }, "/type", /did you mean "string"\?/],
    [{ pattern: "(?=a)" }, "/pattern", /look-around/],
    [{ patternProperties: { "(": {} } }, "/patternProperties", /cannot be used/],
    [{ $ref: "#/nowhere" }, "/$ref", /leads nowhere/],
    [{ $ref: "other.json" }, "/$ref", /leads out of the schema/],
    [{ enum: [] }, "/enum", /empty/],
    [{ required: true }, "/required", /expected array of different strings, got boolean true/],
    [{ minLength: -1 }, "/minLength", /expected whole number of 0 or more, got integer -1/],
  ])("%j is refused at %s", (value, path, message) => {
    expect(problems(value)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it("refuses what is too deep or too long, without falling over", () => {
    let deep: JsonObject = {};
    for (let i = 0; i < 100; i++) deep = { not: deep };
    expect(problems(deep)).toEqual([{ path: "", message: "the schema is nested more than 64 deep" }]);
    expect(problems({ description: "x".repeat(300_000) })[0]?.message).toMatch(/at most 262144/);
  });

  it("leaves data alone that looks like a schema", () => {
    expect(
      problems({ enum: [{ type: "dict" }], default: { $ref: "nowhere" }, properties: { $ref: { type: "string" } } }),
    ).toEqual([]);
  });

  it("keeps the names of one schema from another", () => {
    const schema = (type: string) => ({
      $id: "urn:example:same",
      $ref: "#/$defs/x",
      $defs: { x: { $id: "urn:example:inner", type } },
    });
    expect(problems(schema("string"))).toEqual([]);
    expect(problems(schema("integer"))).toEqual([]);
    expect(violations(schema("string"), "a")).toEqual([]);
    expect(violations(schema("integer"), "a")).toHaveLength(1);
    expect(problems({ $ref: "urn:example:inner" })).toHaveLength(1);
  });

  it("never throws, and what it accepts can be used", () => {
    const small = createSchemaCompiler({ cached: 5 });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 3 }), (value, data) => {
        const schema = { text: JSON.stringify(value), value: value as JsonObject };
        if (small.inspect(schema).length === 0) small.validate(schema, data as JsonValue);
      }),
    );
  });
});

describe("fillDefaults", () => {
  const schema = document({ properties: { n: { default: 5 }, list: { default: [1] }, s: { type: "string" } } });

  it("fills in what is absent, and nothing else", () => {
    expect(schemas.fillDefaults(schema, { s: "x" })).toEqual({ s: "x", n: 5, list: [1] });
    expect(schemas.fillDefaults(schema, { n: null, list: [] })).toEqual({ n: null, list: [] });
  });

  it("gives the same object where there is nothing to fill", () => {
    const args = { n: 1, list: [] };
    expect(schemas.fillDefaults(schema, args)).toBe(args);
  });

  it("gives each call its own copy", () => {
    const first = schemas.fillDefaults(schema, {});
    (first.list as JsonValue[]).push(2);
    expect(schemas.fillDefaults(schema, {}).list).toEqual([1]);
  });
});
