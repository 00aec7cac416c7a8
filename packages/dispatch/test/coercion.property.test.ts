import { coerce, type JsonObject, type JsonValue, planCoercion, stringifyJson } from "@toolgate/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemas } from "./reading.ts";

const NAMES = ["a", "b", "c"];
const name = fc.constantFrom(...NAMES);
const scalarType = fc.constantFrom("integer", "number", "boolean", "string", "null");
const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, 1.5, "", "1", "x", 2n ** 64n),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Schemas of what coercion goes by, and of what it does not know. */
const { schema } = fc.letrec<{ schema: JsonValue; object: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalarType.map((type) => ({ type })),
    fc.boolean(),
    fc
      .uniqueArray(fc.constantFrom("array", "object", "integer", "boolean", "string", "null"), { minLength: 1 })
      .map((type) => ({ type })),
    fc.record({ type: scalarType, nullable: fc.boolean() }),
    fc
      .uniqueArray(
        scalar.filter((value) => typeof value !== "bigint"),
        { minLength: 1, maxLength: 3 },
      )
      .map((values) => ({
        enum: values,
      })),
    scalar.filter((value) => typeof value !== "bigint").map((only) => ({ const: only })),
    fc.constantFrom(
      { type: "string", pattern: "^[a-z]+$" },
      { type: "integer", minimum: 5 },
      { not: { type: "null" } },
    ),
    tie("schema").map((items) => ({ type: "array", items })),
    fc.tuple(tie("schema"), tie("schema")).map(([first, items]) => ({ prefixItems: [first], items })),
    tie("object"),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
    fc.constantFrom({ $ref: "#" }, { $ref: "#/properties/a" }),
    // biome-ignore lint/suspicious/noThenProperty: it is the keyword's name
    fc.record({ if: tie("schema"), then: tie("schema"), else: tie("schema") }),
  ),
  object: fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(name, tie("schema")),
      required: fc.uniqueArray(name),
      additionalProperties: tie("schema"),
      patternProperties: fc.dictionary(fc.constantFrom("^a", "c$"), tie("schema"), { maxKeys: 1 }),
    },
    { requiredKeys: ["type", "properties"] },
  ),
}));

const root = fc
  .tuple(fc.dictionary(name, schema, { minKeys: 1 }), fc.uniqueArray(name))
  .map(([properties, required]) => ({ type: "object", properties, required }) as JsonObject)
  .filter((value) => schemas.inspect(document(value)).length === 0);

function document(value: JsonObject) {
  return { text: stringifyJson(value), value };
}

/** Values as models send them: some are texts of others. */
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value")),
    tie("value").map((inner) => stringifyJson(inner)),
    fc.constantFrom("TRUE", " null ", "1e3", "0x10", "1,000", "NaN"),
  ),
}));
const args = fc.dictionary(name, value) as fc.Arbitrary<JsonObject>;
/** Compiling a schema takes milliseconds. */
const FEW = { numRuns: 500 };
const MANY = { numRuns: 3_000 };

describe("coercion", () => {
  it("changes nothing that fits already", () => {
    let fitting = 0;
    fc.assert(
      fc.property(root, args, (wanted, given) => {
        if (schemas.validate(document(wanted), given).length > 0) return;
        fitting += 1;
        expect(coerce(planCoercion(wanted), given)).toEqual({ args: given, changes: [] });
        expect(coerce(planCoercion(wanted), given).args).toBe(given);
      }),
      FEW,
    );
    expect(fitting).toBeGreaterThan(10);
  });

  it("changes nothing any more the second time", () => {
    let changed = 0;
    fc.assert(
      fc.property(root, args, (wanted, given) => {
        const plan = planCoercion(wanted);
        const once = coerce(plan, given);
        expect(once.args === given).toBe(once.changes.length === 0);
        if (once.changes.length > 0) changed += 1;
        expect(coerce(plan, once.args).args).toBe(once.args);
      }),
      FEW,
    );
    expect(changed).toBeGreaterThan(10);
  });

  it("changes no more than it says, and never what it was given", () => {
    fc.assert(
      fc.property(root, args, (wanted, given) => {
        const before = structuredClone(given);
        const { changes } = coerce(planCoercion(wanted), given);
        expect(given).toEqual(before);
        for (const { path, from, to } of changes) {
          expect(path).toMatch(/^\//);
          const isScalar = from !== null && typeof from !== "object";
          expect(to === undefined ? from === null : isScalar).toBe(true);
        }
      }),
      FEW,
    );
  });

  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 40 });
  const numeral = fc
    .tuple(fc.constantFrom("", "-", "+"), digits, fc.option(digits), fc.option(fc.integer({ min: -400, max: 400 })))
    .map(([sign, whole, fraction, exponent]) => {
      return `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`;
    });

  it("never loses or makes up a digit of a number", () => {
    let read = 0;
    fc.assert(
      fc.property(numeral, fc.constantFrom("integer", "number"), (text, type) => {
        const { args: after } = coerce(planCoercion({ properties: { v: { type } } }), { v: text });
        if (after.v === text) return;
        read += 1;
        expect(sameNumber(stringifyJson(after.v as JsonValue), text)).toBe(true);
      }),
      MANY,
    );
    expect(read).toBeGreaterThan(100);
  });

  it("never takes a text for a number that JSON would not", () => {
    const notJson = fc.oneof(
      fc.constantFrom("NaN", "Infinity", "-Infinity", "inf", "1,000", "1_000", "0x10", "0b1", "1e", "e5", "--1", "١"),
      fc.integer({ min: 1 }).map((n) => `0x${n.toString(16)}`),
      fc.integer({ min: 1_000 }).map((n) => n.toLocaleString("en-US")),
      fc.integer({ min: 1 }).map((n) => `0${n}`),
      fc.string().filter((text) => !/^\s*-?\d/.test(text)),
    );
    fc.assert(
      fc.property(notJson, fc.constantFrom("integer", "number"), (text, type) => {
        const given = { v: text };
        expect(coerce(planCoercion({ properties: { v: { type } } }), given).args).toBe(given);
      }),
      MANY,
    );
  });
});

/** Compares two decimal numerals exactly, as fractions of whole numbers. */
function sameNumber(one: string, other: string): boolean {
  const [first, second] = [fractionOf(one), fractionOf(other)];
  return first.over * second.under === second.over * first.under;
}

function fractionOf(numeral: string): { readonly over: bigint; readonly under: bigint } {
  const [mantissa = "", exponent = "0"] = numeral.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = Number(exponent) - fraction.length;
  const over = BigInt(`${whole}${fraction}`.replace(/^\+/, ""));
  return power >= 0 ? { over: over * 10n ** BigInt(power), under: 1n } : { over, under: 10n ** BigInt(-power) };
}
