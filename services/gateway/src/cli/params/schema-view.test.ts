import type { JsonValue } from "@toolgate/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SchemaView } from "./schema-view.ts";

const typesOf = (schema: JsonValue, name = "x") => {
  const property = new SchemaView(schema).property(name);
  return property && [...(property.types ?? ["anything"])].sort();
};

describe("SchemaView", () => {
  it("follows $ref, also through ~ and % and into definitions", () => {
    const schema = {
      properties: { x: { $ref: "#/$defs/a~1b" }, y: { $ref: "#/definitions/c%20d" }, z: { $ref: "other.json" } },
      $defs: { "a/b": { $ref: "#/definitions/c%20d" } },
      definitions: { "c d": { type: "integer" } },
    };
    expect(typesOf(schema, "x")).toEqual(["integer"]);
    expect(typesOf(schema, "y")).toEqual(["integer"]);
    expect(typesOf(schema, "z")).toEqual(["anything"]);
  });

  it("joins the choices of anyOf and oneOf, and narrows by allOf", () => {
    const either = {
      properties: { x: { anyOf: [{ type: "integer" }, { oneOf: [{ type: "null" }, { const: "a" }] }] } },
    };
    expect(typesOf(either)).toEqual(["integer", "null", "string"]);
    const both = { properties: { x: { type: ["integer", "string"], allOf: [{ type: ["number", "boolean"] }] } } };
    expect(typesOf(both)).toEqual(["integer"]);
    expect(typesOf({ properties: { x: { anyOf: [{ type: "integer" }, {}] } } })).toEqual(["anything"]);
  });

  it("finds properties in every part of the schema", () => {
    const schema = {
      allOf: [{ properties: { a: { type: "integer" } } }],
      anyOf: [{ properties: { b: { type: "boolean" } } }, { properties: { b: { type: "null" } } }],
      patternProperties: { "^n_": { type: "number" }, "(": {} },
    };
    expect(typesOf(schema, "a")).toEqual(["integer"]);
    expect(typesOf(schema, "b")).toEqual(["boolean", "null"]);
    expect(typesOf(schema, "n_1")).toEqual(["number"]);
    expect(new SchemaView(schema).propertyNames).toEqual(["a", "b"]);
  });

  it("knows which names cannot fit", () => {
    const closed = { properties: { a: {} }, patternProperties: { "^x-": {} }, additionalProperties: false };
    expect(typesOf(closed, "a")).toEqual(["anything"]);
    expect(typesOf(closed, "x-y")).toEqual(["anything"]);
    expect(typesOf(closed, "b")).toBeUndefined();
    expect(typesOf({ properties: { a: {} } }, "b")).toEqual(["anything"]);
    expect(typesOf({ additionalProperties: { type: "integer" } }, "b")).toEqual(["integer"]);
    expect(typesOf({ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, "a")).toEqual(["anything"]);
    expect(typesOf({ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, "b")).toBeUndefined();
    expect(typesOf({ anyOf: [closed, {}] }, "b")).toEqual(["anything"]);
    expect(typesOf(closed, "toString")).toBeUndefined();
  });

  it("ends on a schema that refers to itself", () => {
    const self = { anyOf: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }], properties: { x: { type: "integer" } } };
    expect(typesOf(self)).toEqual(["anything"]);
    expect(typesOf({ properties: { x: { $ref: "#/properties/x" } } })).toEqual(["anything"]);
  });

  it("takes any JSON for a schema without failing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const view = new SchemaView({ properties: { x: value as JsonValue }, allOf: [value as JsonValue] });
        void [view.types, view.values, view.propertyNames, view.property("x")?.types, view.item(0).types];
      }),
    );
  });
});
