import type { JsonObject, JsonValue } from "@toolgate/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSchemaCompiler } from "./index.ts";

const schemas = createSchemaCompiler();

function violations(value: JsonObject, data: JsonValue) {
  return schemas.validate({ text: JSON.stringify(value), value }, data);
}

describe("violations", () => {
  it("come all at once, each with place, expectation and what was there", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "integer", minimum: 1, maximum: 10 },
        unit: { enum: ["c", "f"] },
        exact: { type: "boolean" },
      },
      required: ["city"],
      additionalProperties: false,
    };
    expect(violations(schema, { days: 11, unit: "k", exct: true })).toEqual([
      { path: "/city", expected: "string (required)", got: "nothing" },
      { path: "/exct", expected: 'no such property; did you mean "exact"?', got: "boolean true" },
      { path: "/days", expected: "from 1 to 10", got: "integer 11" },
      { path: "/unit", expected: 'one of "c", "f"', got: 'string "k"' },
    ]);
  });

  it.each<[JsonObject, JsonValue, string, string]>([
    [{ type: "integer", minimum: 1, maximum: 10 }, "abc", "integer from 1 to 10", 'string "abc"'],
    [{ type: ["string", "null"] }, 5, "string or null", "integer 5"],
    [{ type: "array", items: { type: "string" } }, "a", "array of string", 'string "a"'],
    [{ type: "string", format: "date" }, 5, "string (date)", "integer 5"],
    [{ format: "date" }, "5 May", 'text in the format date, such as "2026-01-31"', 'string "5 May"'],
    [{ pattern: "^[a-z]+$" }, "A", "text that fits ^[a-z]+$", 'string "A"'],
    [{ minLength: 2, maxLength: 3 }, "a", "from 2 to 3 characters", 'string "a"'],
    [{ maxItems: 1 }, [1, 2], "at most 1 items", "array of 2"],
    [{ prefixItems: [{}], items: false }, [1, 2], "at most 1 items", "array of 2"],
    [{ minProperties: 1 }, {}, "at least 1 properties", "an empty object"],
    [{ exclusiveMinimum: 0, maximum: 5 }, 0, "above 0 and at most 5", "integer 0"],
    [{ multipleOf: 5 }, 7, "a multiple of 5", "integer 7"],
    [{ const: "x" }, null, '"x"', "null"],
    [
      { uniqueItems: true },
      [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }],
      "different items, but 0 and 2 are equal",
      "array of 3",
    ],
    [{ contains: { type: "string" } }, [1], "at least 1 items that are string", "array of 1"],
    [{ not: {} }, 1, "a value that does not fit the schema under not", "integer 1"],
  ])("%j told of %j", (schema, value, expected, got) => {
    expect(violations(schema, value)).toEqual([{ path: "", expected, got }]);
  });

  it("are at the property for names and for what one property asks of others", () => {
    expect(violations({ propertyNames: { pattern: "^a" } }, { b: 1 })).toEqual([
      { path: "/b", expected: "a property name that is text that fits ^a", got: 'string "b"' },
    ]);
    expect(violations({ dependentRequired: { card: ["address"] } }, { card: 1 })).toEqual([
      { path: "/address", expected: 'any value (required where "card" is given)', got: "nothing" },
    ]);
    expect(violations({ properties: { a: false } }, { a: 1 })).toEqual([
      { path: "/a", expected: "nothing at this place", got: "integer 1" },
    ]);
  });

  it("name places by JSON Pointer", () => {
    expect(violations({ required: ["a/b", "c~d"] }, {}).map(({ path }) => path)).toEqual(["/a~1b", "/c~0d"]);
  });

  it("are at most 50", () => {
    const items = Array.from({ length: 500 }, (_, i) => i);
    expect(violations({ items: { type: "string" } }, items)).toHaveLength(50);
  });

  it("are only the first for a value so large that all of them could fill the memory", () => {
    const items = Array.from({ length: 300_000 }, (_, i) => i);
    expect(violations({ items: { type: "string" } }, items)).toEqual([
      { path: "/0", expected: "string", got: "integer 0" },
    ]);
  });

  it("show at most a hundred characters of what was there", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        for (const { got } of violations({ not: {} }, value as JsonValue)) expect(got.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe("violations of choices", () => {
  it("tell what the choice offers", () => {
    expect(violations({ anyOf: [{ type: "string" }, { type: "null" }] }, 3)).toEqual([
      { path: "", expected: "string or null", got: "integer 3" },
    ]);
    expect(violations({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {})).toEqual([
      { path: "", expected: "object with a or object with b", got: "an empty object" },
    ]);
    expect(violations({ oneOf: [{ type: "integer" }, { minimum: 0 }] }, 3)).toEqual([
      { path: "", expected: "a value that fits exactly one of 2 forms, not several", got: "integer 3" },
    ]);
  });

  it("look through references", () => {
    const schema = {
      properties: { pet: { anyOf: [{ $ref: "#/$defs/Pet" }, { type: "null" }] } },
      $defs: { Pet: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
    };
    expect(violations(schema, { pet: 3 })).toEqual([
      { path: "/pet", expected: "object with name or null", got: "integer 3" },
    ]);
    expect(violations(schema, { pet: { name: 3 } })).toEqual([
      { path: "/pet/name", expected: "string", got: "integer 3" },
    ]);
  });

  const kind = (name: string, key: string) => ({
    type: "object",
    properties: { kind: { const: name }, [key]: { type: "integer" } },
    required: ["kind", key],
  });
  const shapes = { oneOf: [kind("circle", "radius"), kind("square", "side")] };

  it("are those of the branch that was clearly meant", () => {
    expect(violations(shapes, { kind: "square", side: 1 })).toEqual([]);
    expect(violations(shapes, { kind: "square" })).toEqual([
      { path: "/side", expected: "integer (required)", got: "nothing" },
    ]);
  });

  it("name the constants where each branch wants another", () => {
    expect(violations(shapes, { kind: "triangle" })).toEqual([
      { path: "/kind", expected: 'one of "circle", "square"', got: 'string "triangle"' },
    ]);
  });

  it("name the types where each branch wants another", () => {
    const schema = { anyOf: [{ properties: { a: { type: "string" } } }, { properties: { a: { type: "integer" } } }] };
    expect(violations(schema, { a: true })).toEqual([
      { path: "/a", expected: "string or integer", got: "boolean true" },
    ]);
  });

  it("leave what is wrong elsewhere in place", () => {
    const schema = { properties: { shape: shapes, n: { type: "integer" } }, required: ["m"] };
    expect(violations(schema, { shape: 3, n: "x" }).map(({ path }) => path)).toEqual(["/m", "/shape", "/n"]);
  });

  it("of a choice in a choice are told once", () => {
    const nested = { anyOf: [{ anyOf: [{ type: "string" }, { type: "integer" }] }, { type: "null" }] };
    expect(violations(nested, true)).toEqual([
      { path: "", expected: "string or integer or null", got: "boolean true" },
    ]);
  });
});
