import { type JsonValue, parseJson, stringifyJson } from "@toolgate/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readValue } from "./read-value.ts";
import { SchemaView } from "./schema-view.ts";

const read = (schema: JsonValue, ...texts: string[]) => readValue(texts, new SchemaView(schema));
const readAs = (schema: JsonValue, ...texts: string[]) => {
  const result = read(schema, ...texts);
  return result.ok ? result.value : result.problem;
};

describe("readValue", () => {
  it.each<[JsonValue, string, JsonValue]>([
    [{ type: "string" }, "000123", "000123"],
    [{ type: "string" }, "true", "true"],
    [{ type: "string" }, "", ""],
    [{ type: "string" }, '{"a":1}', '{"a":1}'],
    [{ type: "integer" }, "5", 5],
    [{ type: "integer" }, "-5", -5],
    [{ type: "integer" }, "5.0", 5],
    [{ type: "integer" }, "1917043659912705296", 1917043659912705296n],
    [{ type: "number" }, "5.20", 5.2],
    [{ type: "number" }, "5", 5],
    [{ type: "boolean" }, "false", false],
    [{ type: "null" }, "null", null],
    [{ type: "object" }, '{"a":[1]}', { a: [1] }],
    [{ type: "array" }, '["a", 1]', ["a", 1]],
    [{ type: "array" }, "[]", []],
    [{ type: ["integer", "null"] }, "null", null],
    [{ type: ["integer", "null"] }, "7", 7],
    [{ type: ["string", "null"] }, "null", "null"],
    [{}, "5", "5"],
    [true, "5", "5"],
  ])("reads by %j the text %j", (schema, text, value) => {
    expect(read(schema, text)).toEqual({ ok: true, value });
  });

  it.each<[JsonValue, string, string]>([
    [{ type: "integer" }, "", "Expected an integer, not empty text."],
    [{ type: "integer" }, "5.5", 'Expected an integer, not "5.5".'],
    [{ type: "integer" }, "007", 'Expected an integer, not "007".'],
    [{ type: "number" }, "1e999", 'Expected a number, not "1e999".'],
    [{ type: ["integer", "number", "null"] }, "x", 'Expected a number or null, not "x".'],
    [{ type: "boolean" }, "yes", 'Expected true or false, not "yes".'],
    [{ type: "object" }, "[1]", 'Expected an object, not "[1]".'],
    [{ type: "array" }, "[a]", 'Expected a list, not "[a]". Write it as JSON, or repeat the option for each element.'],
    [{ type: "array" }, "", "Expected a list, not empty text. An empty list is []."],
  ])("refuses by %j the text %j", (schema, text, problem) => {
    expect(read(schema, text)).toEqual({ ok: false, problem });
  });

  it("takes a value that enum or const lists for that value", () => {
    const schema = { enum: [1, 2, "auto", "2", null, true] };
    expect(["1", "2", "auto", "null", "true"].map((text) => readAs(schema, text))).toEqual([
      1,
      "2",
      "auto",
      null,
      true,
    ]);
    expect(readAs({ const: 3 }, "3")).toBe(3);
  });

  it("makes a list of a repeated option, each element by the schema of elements", () => {
    expect(readAs({ type: "array", items: { type: "integer" } }, "1", "2")).toEqual([1, 2]);
    expect(readAs({ type: "array", items: { type: "string" } }, "007")).toEqual(["007"]);
    expect(readAs({ type: "array", prefixItems: [{ type: "string" }], items: { type: "integer" } }, "1", "2")).toEqual([
      "1",
      2,
    ]);
    expect(
      readAs({ type: "array", items: [{ type: "integer" }], additionalItems: { type: "boolean" } }, "1", "true"),
    ).toEqual([1, true]);
    expect(readAs({ type: "array", items: { type: "integer" } }, "1", "x")).toBe('Expected an integer, not "x".');
  });

  it("refuses a repeated option where no list is asked for", () => {
    expect(readAs({ type: "string" }, "a", "b")).toContain("given more than once");
    expect(readAs({}, "a", "b")).toContain("given more than once");
  });

  it("lets text win, but over a list or an object in JSON where that is allowed too", () => {
    const schema = { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }, { type: "integer" }] };
    expect(readAs(schema, "5")).toBe("5");
    expect(readAs(schema, '["a"]')).toEqual(["a"]);
    expect(readAs(schema, "[a")).toBe("[a");
    expect(readAs(schema, "a", "b")).toEqual(["a", "b"]);
  });

  it("keeps any text as it is where the schema says text", () => {
    fc.assert(fc.property(fc.string(), (text) => readAs({ type: "string" }, text) === text));
  });

  it("keeps every digit of any integer", () => {
    fc.assert(
      fc.property(fc.bigInt(), (number) => stringifyJson(readAs({ type: "integer" }, `${number}`)) === `${number}`),
    );
  });

  it("reads back any JSON object or list that is written as JSON", () => {
    const containers = fc.jsonValue().filter((value) => typeof value === "object" && value !== null);
    fc.assert(
      fc.property(containers, (value) => {
        const text = JSON.stringify(value);
        expect(readAs({ type: ["array", "object"] }, text)).toEqual(parseJson(text));
      }),
    );
  });
});
