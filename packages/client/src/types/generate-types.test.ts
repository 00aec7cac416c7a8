import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilerErrors } from "../compile.fixture.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { realTools } from "../models/real-tools.fixture.ts";
import { generateTypes, type TypedTool } from "./index.ts";

/** The arguments' type of a tool with this schema, on one line. */
function argsOf(inputSchema: JsonValue): string {
  return oneLine(/args: (.*);\n {6}result/s.exec(generateTypes([{ name: "t", inputSchema }]))?.[1]);
}

function resultOf(outputSchema: JsonValue): string {
  return oneLine(/result: (.*);\n {4}\};/s.exec(generateTypes([{ name: "t", inputSchema: {}, outputSchema }]))?.[1]);
}

const oneLine = (text = "") => text.replace(/\s+/g, " ");
const fields = (properties: JsonObject, required: string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

const weather: TypedTool = {
  name: "weather_query",
  description: "The weather.\n\nEnds */ here.",
  inputSchema: fields({ city: { type: "string", description: "A city." }, days: { type: "integer" } }, ["city"]),
  outputSchema: fields({ temperature: { type: "number" } }),
};

describe("generateTypes", () => {
  it("writes one entry a tool", () => {
    expect(generateTypes([weather])).toBe(
      `// Written by generateTypes of @toolgate/client. Do not edit: generate it anew.

import type {} from "@toolgate/client";

declare module "@toolgate/client" {
  interface ToolMap {
    /**
     * The weather.
     *
     * Ends *\\/ here.
     */
    "weather_query": {
      args: {
        /** A city. */
        "city": string;
        "days"?: number | bigint | undefined;
      };
      result: {
        "temperature": number;
      };
    };
  }
}
`,
    );
  });

  it("is the same whatever the order of the tools", () => {
    const tools = [...realTools().values()].flat();
    const distinct = [...new Map(tools.map((tool) => [tool.name, tool])).values()];
    expect(generateTypes(distinct.toReversed())).toBe(generateTypes(distinct));
  });

  it.each<[JsonValue, string]>([
    [{ x: { enum: ["a", 1, null, true] } }, '{ "x": "a" | 1 | null | true; }'],
    [{ x: { const: 'a"b' } }, '{ "x": "a\\"b"; }'],
    [{ x: { type: ["string", "null"] } }, '{ "x": string | null; }'],
    [{ x: { type: "string", nullable: true } }, '{ "x": string | null; }'],
    [{ x: { anyOf: [{ type: "string" }, { type: "boolean" }] } }, '{ "x": string | boolean; }'],
    [{ x: { allOf: [{ type: ["string", "null"] }, { type: "boolean" }] } }, '{ "x": (string | null) & boolean; }'],
    [{ x: { type: "array", items: { type: ["string", "null"] } } }, '{ "x": Array<string | null>; }'],
    [{ x: { type: "array" } }, '{ "x": Array<unknown>; }'],
    [{ x: { prefixItems: [{ type: "string" }], items: false, minItems: 1 } }, '{ "x": [string]; }'],
    [
      { x: { type: "array", items: [{ type: "string" }, {}], minItems: 1 } },
      '{ "x": [string, (unknown)?, ...(unknown)[]]; }',
    ],
    [{ x: { type: "object", additionalProperties: { type: "string" } } }, '{ "x": { [key: string]: string; }; }'],
    [{ x: { type: "object", additionalProperties: false } }, '{ "x": { [key: string]: never; }; }'],
    [{ x: { not: {} }, y: true, z: false }, '{ "x": unknown; "y": unknown; "z": never; }'],
    [{ x: { $ref: "https://example.com/x" } }, '{ "x": unknown; }'],
    [{ "a-b": { type: "string" }, __proto__x: true }, '{ "a-b": string; "__proto__x": unknown; }'],
  ])("prints %j", (properties, type) => {
    expect(argsOf(fields(properties as JsonObject))).toBe(type);
  });

  it.each<[JsonValue, string]>([
    [true, "{ [key: string]: unknown }"],
    [{}, "{ [key: string]: unknown; }"],
    [fields({}, ["x"]), '{ "x": unknown; }'],
    [{ ...fields({ a: true }), additionalProperties: true }, '{ "a": unknown; [key: string]: unknown; }'],
    [
      {
        ...fields({ a: { type: "string" }, b: { type: "string" } }, []),
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      '{ "a"?: string | undefined; "b"?: string | undefined; } & ({ "a": unknown; } | { "b": unknown; })',
    ],
  ])("prints the arguments %j", (schema, type) => {
    expect(argsOf(schema)).toBe(type);
  });

  it.each<[JsonValue, string]>([
    [{ type: "integer" }, "number"],
    [{ type: "integer", format: "int64" }, "number | bigint"],
    [{ type: "array", items: fields({ a: { type: "string" } }, []) }, 'Array<{ "a"?: string; }>'],
  ])("prints the result %j", (schema, type) => {
    expect(resultOf(schema)).toBe(type);
  });

  it("names the parts that references point to, and ends where they do not", () => {
    const $defs = {
      node: fields({ next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }),
      self: { anyOf: [{ type: "string" }, { $ref: "#/$defs/other" }] },
      other: { allOf: [{ $ref: "#/$defs/self" }] },
    };
    const inputSchema = { ...fields({ node: { $ref: "#/$defs/node" }, self: { $ref: "#/$defs/self" } }), $defs };
    const source = generateTypes([{ name: "my.tool", inputSchema }]);
    expect(source).toContain('type MyToolArgsNode = {\n  "next": MyToolArgsNode | null;\n};\n');
    expect(source).toContain("type MyToolArgsSelf = unknown;\n");
  });
});

describe("the compiler", () => {
  const use = (code: string) =>
    `import { createClient } from "@toolgate/client";\nimport "./tools.ts";\nconst client = createClient();\n${code}\n`;

  it("takes the generated source of all real tools", { timeout: 120_000 }, () => {
    const all = [...realTools()].flatMap(([file, tools]) =>
      tools.map((tool) => ({ ...tool, name: `${file.replace(".json", "")}.${tool.name}` })),
    );
    expect(all.length).toBeGreaterThan(350);
    expect(compilerErrors({ "tools.ts": generateTypes(all) })).toBe("");
  });

  it("takes the generated source of any schema", { timeout: 120_000 }, () => {
    const schemas = fc.sample(anySchema(4), { numRuns: 300, seed: 7 });
    const tools = schemas.map((schema, place) => ({
      ...{ name: `t${place}`, description: "a */ b\n\u2028 c", inputSchema: schema, outputSchema: schema },
    }));
    expect(compilerErrors({ "tools.ts": generateTypes(tools) })).toBe("");
  });

  it("checks the calls of known tools, by each client, and leaves others open", () => {
    const code = use(`
const known = await client.call("weather_query", { city: "Oslo", days: 2n });
if (known.status === "success") known.data.temperature.toFixed();
// @ts-expect-error no such field
if (known.status === "success") known.data.temp;
const open = await client.call("anything", { a: 1 });
if (open.status === "success") open.data satisfies import("@toolgate/client").JsonValue;
const typed = await client.call<number>("weather_query", '{"city":"Oslo"}');
if (typed.status === "success") typed.data.toFixed();
const name: string = "weather_query";
await client.call(name, { a: 1 });
await client.call({ capability: "weather" });
// @ts-expect-error city is missing
await client.call("weather_query");
const { createWebClient } = await import("@toolgate/client/web");
const web = createWebClient({ baseUrl: "http://127.0.0.1:9000" });
await web.call("weather_query", { city: "Oslo" });
// @ts-expect-error no such argument
await web.call("weather_query", { town: "Oslo" });`);
    expect(compilerErrors({ "tools.ts": generateTypes([weather]), "use.ts": code })).toBe("");
  });

  it("says what is wrong with a call", () => {
    const code = use(
      'void client.call("weather_query", { town: "Oslo" });\nvoid client.call("weather_query", { city: 7 });',
    );
    const errors = compilerErrors({ "tools.ts": generateTypes([weather]), "use.ts": code });
    expect(errors).toMatch(/use\.ts\(4,\d+\): .*\n.*\n.*'town' does not exist in type '\{ city: string;/);
    expect(errors).toMatch(/use\.ts\(5,\d+\): .*\n.*\n.*Type 'number' is not assignable to type 'string'/);
  });

  it("refuses unknown names where the types are strict", () => {
    const source = generateTypes([weather], { strict: true });
    const code = use(`const name: string = "x";
void client.call(name);
void client.call({ pipeline: "p" });
void client.call("wether_query", { city: "x" });`);
    expect(compilerErrors({ "tools.ts": source, "use.ts": code })).toMatch(
      /^[^\n]*use\.ts\(7,[^\n]*\n[^\n]*\n[^\n]*'"wether_query"' is not assignable[^\n]*$/,
    );
  });
});

const anySchema = fc.memo((depth): fc.Arbitrary<JsonObject> => {
  const leaf = fc.oneof(
    fc.constantFrom<JsonObject>(
      {},
      { type: "string" },
      { type: "integer" },
      { type: ["number", "null"] },
      { type: "nothing" },
    ),
    fc.constantFrom("#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/anyOf/0").map(($ref): JsonObject => ({ $ref })),
    fc
      .constantFrom<JsonValue>("a\nb", -1, 1e21, 2n ** 64n, null, { a: 1 })
      .map((value): JsonObject => ({ const: value })),
  );
  if (depth <= 1) return leaf;
  const part = anySchema(depth - 1);
  const some = fc.array(part, { minLength: 1, maxLength: 3 });
  const key = fc.constantFrom("a", "b", "c d", "__proto__", "*/", '"');
  const object = fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(key, part, { maxKeys: 3 }),
      required: fc.uniqueArray(key, { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), part),
      description: fc.string({ maxLength: 20 }),
    },
    { requiredKeys: [] },
  );
  const array = fc.record(
    { type: fc.constant("array"), items: fc.oneof(part, some), minItems: fc.nat({ max: 2 }) },
    { requiredKeys: ["type"] },
  );
  const choice = fc.constantFrom("anyOf", "oneOf", "allOf").chain((keyword) => some.map((all) => ({ [keyword]: all })));
  const defs = fc.record({ $defs: fc.record({ a: part, b: part }) });
  const whole = fc.tuple(fc.oneof(object, array, choice, leaf), fc.option(choice, { nil: {} }), defs);
  return whole.map((parts) => Object.assign({}, ...parts) as JsonObject);
});
