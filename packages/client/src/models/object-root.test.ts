import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import { objectRoot } from "./object-root.ts";

const a = { type: "string" };
const b = { type: "integer" };

describe("objectRoot", () => {
  it("gives back what needs nothing", () => {
    const schema: JsonObject = { $schema: "x", type: "object", properties: { a: { anyOf: [a, b] } }, required: ["a"] };
    expect(objectRoot(schema)).toBe(schema);
  });

  it.each<[JsonValue, JsonObject]>([
    [{}, { type: "object", properties: {} }],
    [true, { type: "object", properties: {} }],
    [{ type: "object" }, { type: "object", properties: {} }],
    [
      { type: ["object", "null"], title: "T" },
      { type: "object", title: "T", properties: {} },
    ],
    [{ properties: { a } }, { type: "object", properties: { a } }],
  ])("makes an object of %j", (schema, root) => {
    expect(objectRoot(schema)).toEqual(root);
  });

  it("schema-17 (dodopayments/dodopayments-typescript#189): tells of a choice in words", () => {
    const schema = {
      type: "object",
      description: "Finds a user.",
      properties: { a, b },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(objectRoot(schema)).toEqual({
      type: "object",
      description: "Finds a user. Needs one of these sets of arguments: a; or b.",
      properties: { a, b },
    });
  });

  it("merges branches: everything may be given, what all branches require must", () => {
    const kind = (name: string) => ({ const: name });
    const schema = {
      oneOf: [
        { type: "object", properties: { kind: kind("x"), a }, required: ["kind", "a"] },
        { type: "object", properties: { kind: kind("y"), b }, required: ["kind", "b"] },
      ],
    };
    expect(objectRoot(schema)).toEqual({
      type: "object",
      description: "Needs one of these sets of arguments: kind, a; or kind, b.",
      properties: { kind: { enum: ["x", "y"] }, a, b },
      required: ["kind"],
    });
  });

  it("joins allOf, and two schemas of one argument", () => {
    const schema = {
      allOf: [
        { properties: { a, n: b }, required: ["a"] },
        { properties: { n: { minimum: 1 }, m: b }, required: ["n"] },
        { properties: { m: { type: "number" } } },
      ],
    };
    expect(objectRoot(schema)).toEqual({
      type: "object",
      properties: { a, n: { ...b, minimum: 1 }, m: { allOf: [b, { type: "number" }] } },
      required: ["a", "n"],
    });
  });

  it("follows references at the root, and keeps the definitions for those inside", () => {
    const $defs = { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] } };
    expect(objectRoot({ $ref: "#/$defs/node", $defs })).toEqual({ ...$defs.node, $defs });
  });

  it.each<[string, JsonObject]>([
    ["refers to itself", { $ref: "#" }],
    ["refers to itself through choices", { anyOf: [{ $ref: "#" }, { allOf: [{ $ref: "#" }] }] }],
    ["refers to nothing", { $ref: "#/$defs/none" }],
    ["refers to another document", { $ref: "https://example.com/x.json" }],
    ["doubles at each of 60 steps", doubling(60)],
  ])("ends where a schema %s", (_name, schema) => {
    expect(objectRoot(schema)).toMatchObject({ type: "object", properties: {} });
  });

  it("keeps an argument of any name", () => {
    const schema = JSON.parse('{"anyOf":[{"properties":{"__proto__":{"type":"string"},"constructor":true}}]}');
    const { properties } = objectRoot(schema);
    expect(Object.keys(properties as object)).toEqual(["__proto__", "constructor"]);
  });

  it("does not take what holds in one branch for what holds always", () => {
    const schema = {
      type: "object",
      properties: { a },
      anyOf: [
        { properties: { a: { const: "x" }, b }, required: ["b"] },
        { properties: { c: b }, required: ["c"] },
      ],
      if: { required: ["c"] },
      // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's own word.
      then: { properties: { a: { const: "y" }, b: { maximum: 9 } } },
    };
    expect(objectRoot(schema).properties).toEqual({ a, b: { anyOf: [b, { maximum: 9 }] }, c: b });
  });

  it("accepts everything that the real schema accepts, where arguments are described for all branches", () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    fc.assert(
      fc.property(
        anySchema(3),
        described,
        fc.array(instance, { minLength: 5, maxLength: 5 }),
        (part, all, instances) => {
          const schema = { ...part, properties: all };
          const root = objectRoot(schema);
          const [real, merged] = [ajv.compile(schema), ajv.compile(root)];
          for (const one of instances)
            if (real(one)) expect({ one, merged: merged(one) }).toEqual({ one, merged: true });
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Each definition needs the next one twice: 2^steps parts where nobody counts. */
function doubling(steps: number): JsonObject {
  const next = (step: number) => ({ anyOf: [{ $ref: `#/$defs/d${step}` }, { $ref: `#/$defs/d${step}` }] });
  const $defs = Object.fromEntries(Array.from({ length: steps }, (_, step) => [`d${step}`, next(step + 1)]));
  return { ...next(0), $defs };
}

const key = fc.constantFrom("a", "b", "c");
const value = fc.oneof(fc.constantFrom("x", "y"), fc.integer({ min: 0, max: 3 }), fc.constant(null));
const leaf = fc.oneof(
  fc.constantFrom({ type: "string" }, { type: "integer" }, { type: "null" }, { minimum: 2 }, {}),
  value.map((one) => ({ const: one })),
);
const own = { type: fc.constant("object"), properties: fc.dictionary(key, leaf), required: fc.uniqueArray(key) };
const anySchema = fc.memo((depth): fc.Arbitrary<JsonObject> => {
  const fields = fc.record(own, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
  if (depth <= 1) return fields;
  const part = anySchema(depth - 1);
  const parts = fc.array(part, { minLength: 1, maxLength: 2 });
  const combined = fc.oneof(
    ...["anyOf", "oneOf", "allOf"].map((keyword) => parts.map((all) => ({ [keyword]: all }))),
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's own word.
    fc.record({ if: part, then: part, else: part }),
  );
  return fc.tuple(fields, combined).map(([one, other]) => ({ ...one, ...other }) as JsonObject);
});
const described = fc.record({ a: leaf, b: leaf, c: leaf });
const instance = fc.dictionary(key, value, { maxKeys: 3 });
