import type { JsonObject, JsonValue } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { createSchemaCompiler } from "./index.ts";

const schemas = createSchemaCompiler();

function problems(value: unknown) {
  return schemas.inspect({ text: JSON.stringify(value), value: value as JsonObject });
}

describe("inspect", () => {
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
    [{ properties: { d: { type: "dict" } } }, "/properties/d/type", /"dict" is not .+ did you mean "object"\?/],
    [{ properties: { "a/b": { type: "float" } } }, "/properties/a~1b/type", /did you mean "number"\?/],
    [{ type: "List[str]" }, "/type", /did you mean "array"\?/],
    [{ type: "any" }, "/type", /leave "type" out/],
    [{ type: "strnig" }, "/type", /did you mean "string"\?/],
    [{ type: ["string", "String"] }, "/type", /did you mean "string"\?/],
    [{ type: "quaternion" }, "/type", /known types: array, boolean/],
    [{ pattern: "a(?=b)" }, "/pattern", /look-ahead .+supported: RE2 syntax/],
    [{ patternProperties: { "(": {} } }, "/patternProperties/(", /cannot be used: a \( is not closed/],
    [{ $ref: "#/nowhere" }, "/$ref", /leads nowhere/],
    [{ $ref: "#/%zz" }, "/$ref", /leads nowhere/],
    [{ $ref: "#name" }, "/$ref", /leads nowhere/],
    [{ $ref: "#/required", required: ["a"] }, "/$ref", /not a schema/],
    [{ $ref: "other.json" }, "/$ref", /leads out of the schema/],
    [{ $id: "https://x.test/a", items: { $ref: "b.json" } }, "/items/$ref", /leads nowhere.+nothing is ever fetched/],
    [{ $ref: "#/x-own/a", "x-own": { a: { type: "dict" } } }, "/x-own/a/type", /did you mean "object"/],
    [{ $ref: "#" }, "/$ref", /goes round in a circle/],
    [{ anyOf: [{ not: { $ref: "#" } }] }, "/anyOf/0/not/$ref", /goes round in a circle/],
    [{ $dynamicRef: "#node" }, "/$dynamicRef", /leads to no \$dynamicAnchor/],
    [{ enum: [] }, "/enum", /empty/],
    [{ required: true }, "/required", /expected array of different strings, got boolean true; list the names/],
    [{ minLength: -1 }, "/minLength", /expected whole number of 0 or more, got integer -1/],
    [{ items: [{}] }, "/items", /got array of 1; in 2020-12 a list of schemas is "prefixItems"/],
    [{ properties: { a: "string" } }, "/properties", /expected object of schemas/],
  ])("%j is refused at %s", (value, path, message) => {
    expect(problems(value)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it.each([
    true,
    false,
    {},
    { $schema: "http://json-schema.org/draft-06/schema", items: [{}] },
    { $schema: "https://json-schema.org/draft/2019-09/schema#", items: [{}] },
    { $ref: "https://json-schema.org/draft/2020-12/schema" },
    { properties: { child: { $ref: "#" } } },
    { $id: "not a [uri", properties: { child: { $ref: "#" } } },
    { $ref: "#a", $defs: { a: { $anchor: "a" } } },
    { $ref: "#/components/schemas/Pet", components: { schemas: { Pet: { type: "object" } } } },
    { id: "root", type: "object" },
    { nullable: true, anyOf: [{ type: "string" }] },
    { format: "of-our-own", discriminator: { propertyName: "kind" }, "x-note": [1] },
    { pattern: "^P(?:(\\d+W)|(?!.*W)(\\d+Y)?)$", format: "duration" },
  ])("%j is accepted", (value) => {
    expect(problems(value)).toEqual([]);
  });

  it("refuses what is too deep or too long, without falling over", () => {
    let deep: JsonObject = {};
    for (let i = 0; i < 2_000; i++) deep = { not: deep };
    expect(schemas.inspect({ text: "{}", value: deep })).toEqual([
      { path: "", message: "the schema is nested more than 64 deep" },
    ]);
    expect(problems({ description: "x".repeat(300_000) })[0]?.message).toMatch(/at most 262144/);
    const chain = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`a${i}`, next(i)]));
    expect(problems({ $ref: "#/$defs/a0", $defs: { ...chain, a3000: {} } })).toHaveLength(1);
  });

  const next = (i: number) => ({ properties: { x: { $ref: `#/$defs/a${i + 1}` } } });

  it("leaves data alone that looks like a schema", () => {
    expect(
      problems({ enum: [{ type: "dict" }], default: { $ref: "nowhere" }, properties: { $ref: { type: "string" } } }),
    ).toEqual([]);
  });

  it("is cheap: ten thousand tools in less than 1.5 s of CPU", () => {
    const tool = (i: number) => ({
      type: "object",
      properties: {
        [`query${i}`]: { type: "string", minLength: 1, description: "what to look for" },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
        unit: { enum: ["c", "f"] },
        tags: { type: "array", items: { type: "string" } },
        id: { type: "string", pattern: "^[a-z0-9-]+$" },
      },
      required: [`query${i}`],
    });
    const documents = Array.from({ length: 10_000 }, (_, i) => ({ text: JSON.stringify(tool(i)), value: tool(i) }));
    const before = process.cpuUsage();
    for (const document of documents) expect(schemas.inspect(document as never).length).toBe(0);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_500);
  });
});

describe("names of schemas", () => {
  it("of one are kept from another", () => {
    const schema = (type: string): JsonObject => ({
      $id: "urn:example:same",
      $ref: "#/$defs/x",
      $defs: { x: { $id: "urn:example:inner", type } },
    });
    const violations = (value: JsonObject, data: JsonValue) =>
      schemas.validate({ text: JSON.stringify(value), value }, data);
    expect(problems(schema("string"))).toEqual([]);
    expect(problems(schema("integer"))).toEqual([]);
    expect(violations(schema("string"), "a")).toEqual([]);
    expect(violations(schema("integer"), "a")).toHaveLength(1);
    expect(problems({ $ref: "urn:example:inner" })).toHaveLength(1);
  });
});
