import { type JsonObject, type JsonValue, parseJson, type SchemaDocument, stringifyJson } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { createSchemaCompiler } from "./index.ts";

const schemas = createSchemaCompiler();

function document(value: JsonObject | boolean): SchemaDocument {
  return { text: stringifyJson(value), value };
}

function violations(schema: JsonObject, value: JsonValue) {
  return schemas.validate(document(schema), value);
}

describe("numbers", () => {
  it("beyond 2^53 are integers, and told with every digit", () => {
    expect(violations({ type: "integer" }, 1917043659912705296n)).toEqual([]);
    expect(violations({ type: ["number"] }, 10n ** 400n)).toEqual([]);
    expect(violations({ type: "integer", maximum: 10 }, 1917043659912705296n)).toHaveLength(1);
    expect(violations({ properties: { a: { type: "string" } } }, { a: 1917043659912705296n })).toEqual([
      { path: "/a", expected: "string", got: "integer 1917043659912705296" },
    ]);
  });

  it("beyond 2^53 may stand in a schema", () => {
    const schema = parseJson('{"type":"integer","maximum":18446744073709551615,"default":9223372036854775807}');
    expect(schemas.inspect(document(schema as JsonObject))).toEqual([]);
    expect(violations(schema as JsonObject, 18446744073709551615n)).toEqual([]);
    expect(violations(schema as JsonObject, 2n ** 70n)).toHaveLength(1);
    expect(violations({ enum: [2n ** 60n] }, 2n ** 60n)).toEqual([]);
  });
});

describe("time", () => {
  it("no pattern can hang", () => {
    const startedAt = performance.now();
    expect(violations({ pattern: "^(a+)+$" }, `${"a".repeat(30)}!`)).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it("many different objects are found different soon", () => {
    const items = Array.from({ length: 50_000 }, (_, i) => ({ id: i }));
    const startedAt = performance.now();
    expect(violations({ uniqueItems: true }, items)).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("references that multiply are given up", () => {
    const twice = (i: number) => ({ allOf: [{ $ref: `#/$defs/a${i + 1}` }, { $ref: `#/$defs/a${i + 1}` }] });
    const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, twice(i)]));
    expect(violations({ $ref: "#/$defs/a0", $defs: { ...$defs, a60: {} } }, {})).toEqual([
      { path: "", expected: expect.stringContaining("following at most"), got: "an empty object" },
    ]);
  });
});

describe("patterns", () => {
  it("are told apart", () => {
    const schema = { properties: { a: { pattern: "^a" }, b: { pattern: "^b" } } };
    expect(violations(schema, { a: "a", b: "b" })).toEqual([]);
    expect(violations(schema, { a: "b", b: "a" }).map(({ path }) => path)).toEqual(["/a", "/b"]);
  });

  it("beyond RE2 leave the check to the format beside them", () => {
    const schema = { pattern: "^P(?:(\\d+W)|(?!.*W)(\\d+Y)?)$", format: "duration" };
    expect(violations(schema, "P1Y")).toEqual([]);
    expect(violations(schema, "a year")).toHaveLength(1);
  });
});

describe("what ajv alone would read in another way", () => {
  it("$async says nothing, so that every value is still checked", () => {
    expect(violations({ $async: true, type: "object" }, 3)).toHaveLength(1);
    expect(violations({ properties: { a: { $async: true, type: "object" } } }, { a: 3 })).toHaveLength(1);
  });

  it("nullable allows null beside a type, as in OpenAPI 3.0, and says nothing else", () => {
    expect(violations({ type: "string", nullable: true }, null)).toEqual([]);
    expect(violations({ nullable: true, anyOf: [{ type: "string" }] }, null)).toHaveLength(1);
    expect(violations({ type: ["string", "null"], nullable: false }, null)).toEqual([]);
  });

  it("id is an unknown keyword", () => {
    expect(violations({ id: "x", type: "object" }, 3)).toHaveLength(1);
  });

  it("a reference to the whole schema is one", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" } }, additionalProperties: false };
    expect(violations(tree, { child: { child: {} } })).toEqual([]);
    expect(violations(tree, { child: { child: { x: 1 } } }).map(({ path }) => path)).toEqual(["/child/child/x"]);
  });

  it("security-12 (node-config/node-config#906): names that every object inherits are names like any other", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const [one, text] = [JSON.parse(`{"${name}":1}`), JSON.parse(`{"${name}":"a"}`)];
      expect(violations({ required: [name] }, {})).toHaveLength(1);
      expect(violations({ required: [name] }, one)).toEqual([]);
      const typed = JSON.parse(`{"properties":{"${name}":{"type":"integer"}},"additionalProperties":false}`);
      expect(violations(typed, one)).toEqual([]);
      expect(violations(typed, text).map(({ path }) => path)).toEqual([`/${name}`]);
      expect(violations({ additionalProperties: false }, one)).toHaveLength(1);
    }
  });
});

describe("what is kept compiled", () => {
  it("is bounded, and made again", () => {
    const small = createSchemaCompiler({ cached: 2 });
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 5; i++) {
        const schema = document({ $id: "urn:example:one", maximum: i });
        expect(small.validate(schema, i)).toEqual([]);
        expect(small.validate(schema, i + 1)).toHaveLength(1);
      }
    }
  });

  it("a schema that was never inspected and is none fails as ours, not as the caller's", () => {
    expect(() => violations({ type: "dict" }, {})).toThrow(expect.objectContaining({ code: "INTERNAL" }));
  });
});

describe("fillDefaults", () => {
  const schema = document({ properties: { n: { default: 5 }, list: { default: [1] }, s: { type: "string" } } });

  it("fills in what is absent, and nothing else", () => {
    expect(schemas.fillDefaults(schema, { s: "x" })).toEqual({ s: "x", n: 5, list: [1] });
    expect(schemas.fillDefaults(schema, { n: null, list: [] })).toEqual({ n: null, list: [] });
    const inherited = document(JSON.parse('{"properties":{"__proto__":{"default":1},"toString":{"default":2}}}'));
    expect(stringifyJson(schemas.fillDefaults(inherited, {}))).toBe('{"__proto__":1,"toString":2}');
  });

  it("gives the same object where there is nothing to fill", () => {
    const args = { n: 1, list: [] };
    expect(schemas.fillDefaults(schema, args)).toBe(args);
    expect(schemas.fillDefaults(document(true), args)).toBe(args);
    expect(schemas.fillDefaults(document({ properties: 3 }), args)).toBe(args);
  });

  it("takes a default that does not fit its own property for a remark", () => {
    const properties = {
      none: { type: "integer", default: null },
      all: { enum: ["a", "b"], default: "all" },
      inside: { type: "array", items: { type: "integer" }, default: [1, "x"] },
      "a/b": { type: "string", default: 1 },
      maybe: { type: ["integer", "null"], default: null },
      plain: { type: "string", default: "" },
    };
    expect(schemas.fillDefaults(document({ type: "object", properties }), {})).toEqual({ maybe: null, plain: "" });
    const choice = document({ properties, anyOf: [{ required: ["x"] }, { required: ["y"] }] });
    expect(schemas.fillDefaults(choice, {})).toEqual({ maybe: null, plain: "" });
  });

  it("fills in nothing for a property that must be given", () => {
    const properties = { a: { type: "string", default: "x" }, b: { type: "string", default: "y" } };
    expect(schemas.fillDefaults(document({ properties, required: ["a"] }), {})).toEqual({ b: "y" });
  });

  it("gives each call its own copy", () => {
    const first = schemas.fillDefaults(schema, {});
    (first.list as JsonValue[]).push(2);
    expect(schemas.fillDefaults(schema, {}).list).toEqual([1]);
  });
});
