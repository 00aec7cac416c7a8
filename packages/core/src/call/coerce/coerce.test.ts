import { describe, expect, it } from "vitest";
import { excerpt } from "../../errors/words.ts";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../json/json.ts";
import { coerce } from "./coerce.ts";
import { planCoercion } from "./plan.ts";

/** What becomes of a whole arguments object. */
function read(schema: JsonObject | boolean, args: JsonObject) {
  return coerce(planCoercion(schema), args);
}

/** What becomes of one argument `v` with this schema; `undefined` where it is left out. */
function readOne(v: JsonValue, value: JsonValue, required: string[] = []): JsonValue | undefined {
  const args = { v: value };
  const coerced = read({ type: "object", properties: { v }, required }, args);
  if (coerced.changes.length === 0) expect(coerced.args).toBe(args);
  return coerced.args.v;
}

/** Rows with a title that can hold any number. */
function titled<Row extends JsonValue[]>(rows: readonly Row[]) {
  return rows.map((row) => ({ row, title: row.map((part) => excerpt(stringifyJson(part), 80)).join(" → ") }));
}

const integer: JsonObject = { type: "integer" };
const number: JsonObject = { type: "number" };
const boolean: JsonObject = { type: "boolean" };
const string: JsonObject = { type: "string" };
const nothing: JsonObject = { type: "null" };
const array: JsonObject = { type: "array" };
const object: JsonObject = { type: "object" };
const listOf = (items: JsonValue): JsonObject => ({ type: "array", items });
const HUGE = "1234567890123456789012345";

describe("text where something else is wanted", () => {
  it.each(
    titled<[JsonObject, string, JsonValue]>([
      [integer, "42", 42],
      [integer, "-7", -7],
      [integer, "0", 0],
      [integer, " 7\n", 7],
      [integer, "3.0", 3],
      [integer, "1e5", 100_000],
      [integer, "9007199254740993", 9007199254740993n],
      [integer, HUGE, BigInt(HUGE)],
      [number, "3.14", 3.14],
      [number, "3.0", 3],
      [number, "-1.5E-7", -1.5e-7],
      [number, "1234567890123456789", 1234567890123456789n],
      [boolean, "true", true],
      [boolean, "FALSE", false],
      [boolean, " True ", true],
      [nothing, "null", null],
      [{ type: ["array", "null"] }, "NULL", null],
      [{ type: "integer", nullable: true }, "null", null],
      [{ type: ["integer", "boolean"] }, "true", true],
      [{ type: ["integer", "boolean"] }, "1", 1],
      [array, '["a", 1]', ["a", 1]],
      [object, ' {"a": "1"} ', { a: "1" }],
      [object, '{"id": 9007199254740993}', { id: 9007199254740993n }],
      [{ type: ["object", "integer"] }, '{"a":1}', { a: 1 }],
      [{ type: ["object", "integer"] }, "5", 5],
      [{ const: 5 }, "5", 5],
      [{ enum: [1, 2, true] }, "2", 2],
      [{ enum: ["auto", 1] }, "1", 1],
      [{ enum: [9007199254740993n as never] }, "9007199254740993", 9007199254740993n],
      [{ type: ["string", "integer"], enum: ["auto", 1] }, "1", 1],
    ]),
  )("$title", ({ row: [schema, text, value] }) => {
    expect(readOne(schema, text)).toEqual(value);
  });

  it.each(
    titled<[JsonObject, JsonValue]>([
      [integer, "3.14"],
      [integer, "hello"],
      [integer, ""],
      [integer, " "],
      [integer, "+5"],
      [integer, "007"],
      [integer, "0x10"],
      [integer, "1,000"],
      [integer, "1_000"],
      [integer, "٣"],
      [integer, "1e400"],
      [integer, "true"],
      [integer, "null"],
      [integer, "[1]"],
      [integer, "9".repeat(1_001)],
      [number, ".5"],
      [number, "5."],
      [number, "inf"],
      [number, "-Infinity"],
      [number, "NaN"],
      [number, "1 2"],
      [number, "0.1000000000000000055511151231257827"],
      [number, "12345678901234567890.5"],
      [number, "1e-400"],
      [boolean, "1"],
      [boolean, "0"],
      [boolean, "yes"],
      [boolean, "t"],
      [boolean, ""],
      [boolean, "null"],
      [nothing, "none"],
      [object, "[1]"],
      [object, '{"a":'],
      [object, "{'a': 1}"],
      [object, '{"x":0.1000000000000000055511151231257827}'],
      [object, ""],
      [array, '{"a":1}'],
      [array, "[1,"],
      [array, ""],
      [array, " "],
      [{ enum: [1, 2] }, "3"],
      [{ const: "asc" }, "ASC"],
      [{ enum: [{ a: 1 }] }, '{"a":1'],
      [string, "00713"],
      [string, '[{"a":1}]'],
      [string, "true"],
      [string, "null"],
      [{ type: ["string", "integer"] }, "007"],
      [{ type: ["integer", "string"] }, "42"],
      [{ type: ["string", "null"] }, "null"],
      [{ type: ["string", "array"] }, '["a"]'],
      [{ type: "string", pattern: "^[a-z]+$" }, "42"],
      [{}, "42"],
      [{ properties: { a: integer } }, '{"a":1}'],
    ]),
  )("$title is left alone", ({ row: [schema, value] }) => {
    expect(readOne(schema, value, ["v"])).toBe(value);
  });
});

describe("values that are no text", () => {
  it.each(
    titled<[JsonObject, JsonValue]>([
      [integer, true],
      [integer, 1.5],
      [integer, ["5"]],
      [number, []],
      [boolean, 1],
      [boolean, 0],
      [string, 42],
      [string, true],
      [string, ["a"]],
      [nothing, 0],
      [object, [["a", 1]]],
      [array, { a: 1 }],
      [listOf(integer), { item: 14 }],
      [{ enum: [[1], 2] }, { a: 1 }],
    ]),
  )("$title is left alone", ({ row: [schema, value] }) => {
    expect(readOne(schema, value)).toEqual(value);
  });

  it.each(
    titled<[JsonObject, JsonValue]>([
      [integer, 5],
      [integer, 5n ** 40n],
      [number, 5n ** 40n],
      [{ const: 9007199254740993n as never }, 9007199254740993n],
      [{ const: { a: 1 } }, { a: 1 }],
      [{ const: [1] }, [1]],
      [{ const: null }, null],
      [{ const: false }, false],
      [{ type: "unheard-of" }, "5"],
      [{ type: "integer", nullable: true }, null],
      [array, [null, "1"]],
    ]),
  )("$title fits as it is", ({ row: [schema, value] }) => {
    expect(readOne(schema, value)).toBe(value);
  });
});

describe("a scalar where a list is wanted", () => {
  it.each(
    titled<[JsonObject, JsonValue, JsonValue]>([
      [array, "x", ["x"]],
      [array, 5, [5]],
      [array, false, [false]],
      [array, 5n ** 40n, [5n ** 40n]],
      [listOf(string), "https://a.example", ["https://a.example"]],
      [listOf(string), "a, b", ["a, b"]],
      [listOf(string), "5", ["5"]],
      [listOf(integer), "5", [5]],
      [listOf(integer), 5, [5]],
      [listOf({ enum: ["a", "b"] }), "a", ["a"]],
      [{ type: "array", prefixItems: [integer], items: string }, "5", [5]],
    ]),
  )("$title", ({ row: [schema, value, list] }) => {
    expect(readOne(schema, value)).toEqual(list);
  });

  it.each(
    titled<[JsonObject, JsonValue]>([
      [listOf(integer), "1,2,3"],
      [listOf(integer), "x"],
      [listOf(integer), true],
      [listOf({ enum: ["a", "b"] }), "c"],
      [listOf(string), 5],
      [listOf(string), "[draft] x"],
      [listOf(string), '{"a":1}'],
      [listOf(object), '{"a":1}'],
      [listOf(false), "x"],
      [listOf(listOf(integer)), 5],
      [{ type: "array", items: { $ref: "#/properties/v" } }, 5],
      [{ type: "array", enum: ["x"] }, "y"],
    ]),
  )("$title is left alone", ({ row: [schema, value] }) => {
    expect(readOne(schema, value)).toEqual(value);
  });

  it("says the list, not its item", () => {
    const { changes } = read({ properties: { v: listOf(integer) } }, { v: "5" });
    expect(changes).toEqual([{ path: "/v", from: "5", to: [5] }]);
  });

  it("is read as a list of text before it is made one", () => {
    expect(readOne(listOf(string), '["a","b"]')).toEqual(["a", "b"]);
    expect(readOne(listOf(integer), '["1"]')).toEqual([1]);
  });
});

describe("a null for a property that takes none", () => {
  const maybe = { anyOf: [string, nothing] };

  it("is left out where the property is optional, at any depth", () => {
    expect(readOne(string, null)).toBeUndefined();
    expect(readOne(array, null)).toBeUndefined();
    expect(readOne({ type: ["string", "null"], enum: ["a"] }, null)).toBeUndefined();
    expect(readOne({ type: "object", properties: { a: string, b: string } }, { a: "x", b: null })).toEqual({ a: "x" });
    expect(readOne({ $ref: "#/properties/w" }, null)).toBeNull();
  });

  it("coercion-09 (openclaw/openclaw#96729): left out, but kept where null is allowed", () => {
    expect(read({ properties: { v: string } }, { v: null })).toEqual({
      args: {},
      changes: [{ path: "/v", from: null }],
    });
    expect(readOne(maybe, null)).toBeNull();
    expect(readOne({}, null)).toBeNull();
    expect(readOne({ type: "string", nullable: true }, null)).toBeNull();
  });

  it("coercion-10 (mezmo/aura#559): left out, whatever pattern the text must fit", () => {
    expect(readOne({ type: "string", pattern: "^[0-9a-f]{24}$" }, null)).toBeUndefined();
  });

  it("stays, to be refused, where the property is required or only a name among others", () => {
    expect(readOne(string, null, ["v"])).toBeNull();
    expect(readOne(listOf(string), [null])).toEqual([null]);
    const map = { type: "object", additionalProperties: string };
    expect(readOne(map, { any: null })).toEqual({ any: null });
  });

  it("keeps the order and the names of what stays", () => {
    const args = parseJson('{"b":"1","__proto__":"2","a":null,"c":"x"}') as JsonObject;
    const schema = { properties: { a: string, b: integer, c: string }, additionalProperties: integer };
    expect(stringifyJson(read(schema, args).args)).toBe('{"b":1,"__proto__":2,"c":"x"}');
    expect(stringifyJson(args)).toBe('{"b":"1","__proto__":"2","a":null,"c":"x"}');
  });
});

describe("what is nested", () => {
  it("is read in lists, in objects, and in the text of them", () => {
    const schema = { type: "object", properties: { n: integer, list: listOf(boolean) }, additionalProperties: number };
    const whole = { n: 1, list: [true, false], x: 1.5 };
    expect(readOne(schema, { n: "1", list: ["true", false], x: "1.5" })).toEqual(whole);
    expect(readOne(schema, '{"n":"1","list":"[\\"true\\",false]","x":"1.5"}')).toEqual(whole);
    expect(readOne(listOf(schema), [{ n: "1" }, { n: 1 }])).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it("is told by its place", () => {
    const schema = { properties: { "a/b": { type: "object", properties: { list: listOf(integer) } } } };
    const { changes } = read(schema, { "a/b": '{"list":[1,"2"]}' });
    expect(changes).toEqual([
      { path: "/a~1b", from: '{"list":[1,"2"]}', to: { list: [1, "2"] } },
      { path: "/a~1b/list/1", from: "2", to: 2 },
    ]);
  });

  it("keeps what needed nothing as it was", () => {
    const kept = { x: ["1"] };
    const schema = { properties: { kept: object, n: integer } };
    expect(read(schema, { kept, n: "1" }).args.kept).toBe(kept);
  });

  it("follows items by their places, as each dialect writes them", () => {
    const now = { type: "array", prefixItems: [integer, string], items: boolean };
    expect(readOne(now, ["1", "2", "true"])).toEqual([1, "2", true]);
    expect(readOne({ type: "array", prefixItems: [integer, string] }, ["1", "2", "3"])).toEqual([1, "2", "3"]);
    const $schema = "http://json-schema.org/draft-07/schema#";
    const old = { $schema, properties: { v: { type: "array", items: [integer, string], additionalItems: boolean } } };
    expect(read(old, { v: ["1", "2", "true"] }).args).toEqual({ v: [1, "2", true] });
    const unknown = { $schema, properties: { v: { type: "array", prefixItems: [integer] } } };
    expect(read(unknown, { v: ["1"] }).args).toEqual({ v: ["1"] });
    const named = { $schema: "https://json-schema.org/draft/2020-12/schema", properties: { v: now } };
    expect(read(named, { v: ["1"] }).args).toEqual({ v: [1] });
  });

  it("leaves other names alone where patterns decide about them", () => {
    const schema = { type: "object", patternProperties: { "^s": string }, additionalProperties: integer };
    expect(readOne(schema, { s: "1", n: "1" })).toEqual({ s: "1", n: "1" });
  });

  it("leaves text alone that would be nested deeper than JSON may be", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(readOne(array, deep(511))).not.toBeTypeOf("string");
    expect(readOne(array, deep(512))).toBeTypeOf("string");
  });
});

describe("references and parts", () => {
  it("are followed inside of the schema", () => {
    const $defs = { n: integer, "a/b": { $ref: "#/$defs/n" } };
    const schema = { $defs, properties: { v: { $ref: "#/$defs/a~1b" }, w: { $ref: "#/$defs/none" } } };
    expect(read(schema, { v: "1", w: "1" }).args).toEqual({ v: 1, w: "1" });
  });

  it("may go round", () => {
    const schema = { type: "object", properties: { n: integer, next: { $ref: "#" } } };
    expect(read(schema, { n: "1", next: { n: "2", next: '{"n":"3"}' } }).args).toEqual({
      n: 1,
      next: { n: 2, next: { n: 3 } },
    });
  });

  it("are not followed below a base of their own", () => {
    const inner = { $id: "https://x.example/inner", $defs: { n: string }, $ref: "#/$defs/n" };
    expect(read({ $defs: { n: integer }, properties: { v: inner } }, { v: "1" }).args).toEqual({ v: "1" });
    const root = { $id: "https://x.example/root", $defs: { n: integer }, properties: { v: { $ref: "#/$defs/n" } } };
    expect(read(root, { v: "1" }).args).toEqual({ v: 1 });
  });

  it("all hold at once", () => {
    expect(readOne({ allOf: [{ type: ["integer", "boolean"] }, { type: ["integer", "null"] }] }, "1")).toBe(1);
    expect(readOne({ allOf: [{ type: "object" }, { properties: { n: integer } }] }, '{"n":"1"}')).toEqual({ n: 1 });
    expect(readOne({ properties: { n: integer }, allOf: [{ type: "object" }] }, '{"n":"1"}')).toEqual({ n: 1 });
    expect(readOne({ allOf: [{ type: "string" }, { type: "integer" }] }, "1")).toBe(1);
  });
});

describe.each(["anyOf", "oneOf"])("%s", (keyword) => {
  const oneOf = (...branches: JsonValue[]): JsonObject => ({ [keyword]: branches });

  it("reads what only one branch can", () => {
    expect(readOne(oneOf(integer, nothing), "5")).toBe(5);
    expect(readOne(oneOf(integer, nothing), "null")).toBeNull();
    expect(readOne(oneOf(listOf(string), nothing), '["a","b"]')).toEqual(["a", "b"]);
    expect(readOne(oneOf({ type: "string", enum: ["auto"] }, integer), "5")).toBe(5);
    expect(readOne(oneOf(number, integer), "5")).toBe(5);
    expect(readOne(oneOf(listOf(integer), boolean), ["1"])).toEqual([1]);
  });

  it("leaves alone what a branch takes as it is", () => {
    expect(readOne(oneOf(integer, string), "42")).toBe("42");
    expect(readOne(oneOf(integer, true), "42")).toBe("42");
    expect(readOne(oneOf(integer, { minLength: 9 }), "42")).toBe("42");
    expect(readOne(oneOf(integer, boolean), "x")).toBe("x");
    expect(readOne(oneOf(), "x")).toBe("x");
  });

  it("coercion-15 (earendil-works/pi#9569): finds the branch that is meant by a constant", () => {
    const kind = (name: string, more: JsonObject) => ({
      type: "object",
      properties: { kind: { const: name }, ...more },
      required: ["kind"],
      additionalProperties: false,
    });
    const schema = oneOf(kind("a", { n: integer }), kind("b", { n: string }));
    expect(readOne(schema, '{"kind":"a","n":"1"}')).toEqual({ kind: "a", n: 1 });
    expect(readOne(schema, { kind: "a", n: "1" })).toEqual({ kind: "a", n: 1 });
    expect(readOne(schema, { kind: "b", n: "1" })).toEqual({ kind: "b", n: "1" });
    expect(readOne(schema, { kind: "c", n: "1" })).toEqual({ kind: "c", n: "1" });
    expect(readOne(schema, { kind: "a", n: "1", extra: 1 })).toEqual({ kind: "a", n: "1", extra: 1 });
    expect(readOne(schema, { n: "1" })).toEqual({ n: "1" });
  });

  it("changes nothing where two branches read it differently", () => {
    const schema = oneOf(
      { type: "object", properties: { a: integer, b: string } },
      { type: "object", properties: { a: string, b: integer } },
    );
    const value = { a: "1", b: "2" };
    expect(readOne(schema, value)).toEqual({ a: "1", b: "2" });
    expect(readOne(oneOf({ type: "object", properties: { a: integer, b: integer } }, integer), value)).toEqual({
      a: 1,
      b: 2,
    });
  });

  it("makes a list only where nothing else fits", () => {
    expect(readOne(oneOf(listOf(string), integer), "5")).toBe(5);
    expect(readOne(oneOf(listOf(string), integer), "x")).toEqual(["x"]);
    expect(readOne(oneOf(listOf(oneOf(listOf(integer), boolean)), boolean), ["5"])).toEqual([[5]]);
    expect(readOne(oneOf(listOf(integer), listOf(boolean)), "x")).toBe("x");
  });

  it("tells of the reading that was taken alone", () => {
    const { changes } = read(
      { properties: { v: oneOf({ type: "object", required: ["x"] }, listOf(integer), object) } },
      { v: '{"n":"1"}' },
    );
    expect(changes).toEqual([{ path: "/v", from: '{"n":"1"}', to: { n: "1" } }]);
  });
});

describe("coerce", () => {
  it("hands back the very arguments where nothing is to be changed", () => {
    const args = { n: 1, s: "2", extra: null };
    expect(read({ properties: { n: integer, s: string }, required: ["missing"] }, args)).toEqual({ args, changes: [] });
    expect(read({ properties: { n: integer, s: string } }, args).args).toBe(args);
    expect(read(true, args).args).toBe(args);
    expect(read(false, args).args).toBe(args);
    expect(read({ description: "Anything" }, args).args).toBe(args);
  });

  it("coercion-01 (PrefectHQ/fastmcp#932): reads the JSON text of an object", () => {
    expect(read({ properties: { user: object } }, { user: '{"name":"Ann"}' }).args).toEqual({ user: { name: "Ann" } });
  });

  it("coercion-03 (NousResearch/hermes-agent#56408): keeps every digit", () => {
    const { args } = read({ properties: { id: integer } }, { id: "9007199254740993" });
    expect(stringifyJson(args)).toBe('{"id":9007199254740993}');
  });

  it("coercion-04 (NousResearch/hermes-agent#56458): leaves text alone where text is allowed", () => {
    expect(readOne({ type: ["string", "integer"] }, "007")).toBe("007");
  });

  it("coercion-06 (NousResearch/hermes-agent#19717): takes a text for the list of it", () => {
    expect(readOne(listOf(string), "https://a.example")).toEqual(["https://a.example"]);
  });

  it("coercion-07 (NousResearch/hermes-agent#99290): never wraps an object into a list", () => {
    expect(readOne(listOf(integer), { item: 14 })).toEqual({ item: 14 });
  });

  it("coercion-16 (OpenDigitalProductFactory/opendigitalproductfactory#1932): never reads text where text is wanted", () => {
    expect(readOne(string, '[{"a":1}]')).toBe('[{"a":1}]');
  });

  it("gives up, changing nothing, where nested choices would take too long", () => {
    const node = {
      type: "object",
      properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { $ref: "#/$defs/node" }] } },
    };
    const schema = { $defs: { node }, properties: { n: integer, v: { $ref: "#/$defs/node" } } };
    let v: JsonObject = { next: 1 };
    for (let i = 0; i < 40; i += 1) v = { next: v };
    const args = { n: "1", v };
    expect(read(schema, args)).toEqual({ args, changes: [] });
  });
});
