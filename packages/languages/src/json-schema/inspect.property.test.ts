import type { JsonObject, JsonValue } from "@toolgate/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSchemaCompiler } from "./index.ts";

/** Values for keywords: mostly of the right form, some not, some that other tools write. */
const schema = fc.letrec<{ schema: JsonValue; map: JsonValue; list: JsonValue }>((tie) => {
  const name = fc.constantFrom("a", "b", "__proto__", "constructor", "$id", "a/b", "x y", "");
  const junk = fc.constantFrom<JsonValue>(null, true, false, 0, -1, 1.5, "", "a", 2n ** 64n, [], {}, ["a"]);
  const keyword = fc.oneof(
    pair(
      ["$ref"],
      ["#", "#/$defs/a", "#/properties/a", "#/x-own/a", "#/$defs/a%2Fb", "#/$defs/%zz", "#a", "urn:x:y", "http://["],
    ),
    pair(
      ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "id"],
      ["a", "#a", "urn:x:y", "http://[", "https://x.test/a.json"],
    ),
    pair(["$schema"], ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"]),
    pair(["type"], ["object", "array", "string", "integer", "dict", ["string", "null"], [], "null"]),
    pair(["enum", "required", "examples"], [["a"], ["__proto__", "a"], [], [1, 2n ** 64n], [{ a: 1 }, null]]),
    pair(["minimum", "maximum", "exclusiveMinimum", "multipleOf", "const"], [0, 1, -5, 0.5, 2n ** 64n, true, "1"]),
    pair(["minLength", "maxItems", "minContains", "maxContains", "maxProperties"], [0, 1, 2, 2n ** 64n, -1, 1.5]),
    pair(["pattern"], ["^a", "(?=a)", "^(?!a)b", "(", "\\p{Letter}", "a{2000}"]),
    pair(["format"], ["date", "email", "uuid", "own", "regex", 3]),
    pair(
      ["nullable", "$async", "uniqueItems", "deprecated", "$recursiveAnchor", "x-toolgate-step"],
      [true, false, "yes"],
    ),
    fc.tuple(fc.constantFrom("not", "if", "then", "else", "items", "contains", "propertyNames"), tie("schema")),
    fc.tuple(fc.constantFrom("additionalProperties", "unevaluatedProperties", "unevaluatedItems"), tie("schema")),
    fc.tuple(fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems", "items"), tie("list")),
    fc.tuple(
      fc.constantFrom("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"),
      tie("map"),
    ),
    fc.tuple(fc.constantFrom("x-own", "dependencies", "dependentRequired", "discriminator", "default"), tie("map")),
    fc.tuple(fc.constantFrom("type", "properties", "items", "required", "allOf", "if", "x-own"), junk),
  );
  return {
    schema: fc.oneof({ depthSize: "medium", maxDepth: 5 }, fc.boolean(), {
      weight: 8,
      arbitrary: fc
        .array(keyword, { minLength: 1, maxLength: 5 })
        .map((members) => Object.fromEntries(members) as JsonValue),
    }),
    map: fc.array(fc.tuple(name, tie("schema")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    list: fc.array(tie("schema"), { maxLength: 3 }),
  };
}).schema;

function pair(keys: readonly string[], values: readonly JsonValue[]) {
  return fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values));
}

const VALUES: readonly JsonValue[] = [
  null,
  true,
  1,
  2n ** 70n,
  "a",
  ["a", 1, {}],
  [["a"], ["a"]],
  {},
  { a: { a: { b: 1 } }, b: [1] },
  JSON.parse('{"__proto__": 1, "constructor": {"a": "b"}}'),
];

describe("inspect", () => {
  it("never throws, and whatever it accepts can check any value", { timeout: 120_000 }, () => {
    const schemas = createSchemaCompiler({ cached: 5 });
    let accepted = 0;
    fc.assert(
      fc.property(schema, (value) => {
        const text = JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? Number(part) : part));
        const document = { text, value: value as JsonObject };
        if (schemas.inspect(document).length > 0) return;
        accepted += 1;
        for (const sample of VALUES) {
          for (const { path, expected, got } of schemas.validate(document, sample)) {
            expect(path).toMatch(/^(\/.*)?$/s);
            expect(expected.length).toBeGreaterThan(0);
            expect(got.length).toBeLessThanOrEqual(100);
          }
        }
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
