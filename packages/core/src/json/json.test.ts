import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonicalJson,
  containsBigInt,
  type JsonObject,
  type JsonValue,
  jsonTypeOf,
  losesDigits,
  MAX_JSON_DEPTH,
  parseJson,
  replaceBigInts,
  stringifyJson,
} from "./json.ts";

const EDGE = 2n ** 53n;
const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "toJSON"));

/**
 * Values as `parseJson` makes them. A double from 2^53 to 10^21 is not among
 * them, unless it was written with a fraction or an exponent: JSON writes it
 * as an integer.
 */
const jsonValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false),
    fc.string({ unit: "binary" }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Math.abs(n) >= 1e21),
    fc.bigInt({ min: EDGE }),
    fc.bigInt({ max: -EDGE }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

describe("parseJson and stringifyJson", () => {
  it.each([
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890123456789",
    "9".repeat(400),
    '{"id":9007199254740993,"list":[[18446744073709551615]],"text":"9007199254740993"}',
  ])("keeps every digit of %s", (text) => {
    expect(stringifyJson(parseJson(text))).toBe(text);
    expect(containsBigInt(parseJson(text))).toBe(true);
  });

  it.each([
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["-9007199254740991", Number.MIN_SAFE_INTEGER],
    ["1234567890.1234567890", Number("1234567890.1234567890")],
    ["12345678901234567890.5", Number("12345678901234567890.5")],
    ["1e21", 1e21],
    ["1E+300", 1e300],
    ["1e-400", 0],
    ["0", 0],
  ])("reads %s as a double", (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  it.each(["1e309", "-1e309", "[1E+400]", `${"9".repeat(400)}.5`])("refuses %s as out of range", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(() => parseJson(text)).toThrow("out of range");
  });

  it.each(["", "{", '{"a":}', "[1,]", "NaN", "01", "'a'", '{"n":12345678901234567890'])("refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each(["1", "12345678901234567890"])("refuses what is nested too deeply around %s", (core) => {
    const nested = (levels: number) => "[".repeat(levels) + core + "]".repeat(levels);
    expect(stringifyJson(parseJson(nested(MAX_JSON_DEPTH)))).toBe(nested(MAX_JSON_DEPTH));
    for (const levels of [MAX_JSON_DEPTH + 1, 100_000]) {
      expect(() => parseJson(nested(levels))).toThrow(SyntaxError);
      expect(() => parseJson(nested(levels))).toThrow(`more than ${MAX_JSON_DEPTH} levels`);
    }
    expect(() => parseJson('{"a":'.repeat(600) + core + "}".repeat(600))).toThrow(SyntaxError);
  });

  it.each(["1", "12345678901234567890"])(
    "security-12 (node-config#906): __proto__ is a key like any other, beside %s",
    (value) => {
      const text = `{"__proto__":{"polluted":${value}},"constructor":1,"toString":null}`;
      const parsed = parseJson(text);
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
      expect(Object.keys(parsed as object)).toEqual(["__proto__", "constructor", "toString"]);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(stringifyJson(parsed)).toBe(text);
      expect(canonicalJson(parsed)).toBe(text);
      expect(stringifyJson(replaceBigInts(parsed, String)).startsWith('{"__proto__":{"polluted":')).toBe(true);
    },
  );

  it("gives back every value", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(exactly(parseJson(stringifyJson(value)))).toBe(exactly(value));
      }),
    );
  });

  it("gives back every integer, whatever its size", () => {
    fc.assert(
      fc.property(fc.bigInt(), (digits) => {
        expect(stringifyJson(parseJson(digits.toString()))).toBe(digits.toString());
      }),
    );
  });
});

/** A text that tells apart all values, but for the two zeros: `JSON.stringify` does not write -0. */
function exactly(value: JsonValue): string {
  return JSON.stringify(value, (_key, part) =>
    ["bigint", "string"].includes(typeof part) ? `${typeof part} ${part}` : part,
  );
}

describe("canonicalJson", () => {
  it("sorts keys by UTF-16 code units at every depth, and leaves arrays alone", () => {
    const value = { b: [{ z: 1, y: 2n ** 64n }, 3], "\u20ac": 1, a: null, "\ud83d\ude02": 2, "\ufb33": 3 };
    expect(canonicalJson(value)).toBe(
      '{"a":null,"b":[{"y":18446744073709551616,"z":1},3],"\u20ac":1,"\ud83d\ude02":2,"\ufb33":3}',
    );
  });

  it("is the same for permuted keys, and reads as the same value", () => {
    const members = fc.uniqueArray(fc.tuple(key, jsonValue), { selector: ([name]) => name, maxLength: 6 });
    const pair = members.chain((entries) =>
      fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
    );
    fc.assert(
      fc.property(pair, ([entries, permuted]) => {
        const text = canonicalJson(Object.fromEntries(entries));
        expect(canonicalJson(Object.fromEntries(permuted))).toBe(text);
        const inOrder = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
        expect(Object.keys(parseJson(text) as object).sort()).toEqual(inOrder.map(([name]) => name));
        for (const [name, value] of entries) {
          expect(canonicalJson((parseJson(text) as JsonObject)[name] as JsonValue)).toBe(canonicalJson(value));
        }
      }),
    );
  });

  it("differs where values differ", () => {
    const texts = ["1", 1, 2n ** 53n, true, "true", null, "null", [], {}, [1], [[1]], { a: 1 }, { a: [1] }].map(
      canonicalJson,
    );
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe("replaceBigInts", () => {
  it("returns a value without one as it is", () => {
    const value = { a: [1, "x"] };
    expect(replaceBigInts(value, String)).toBe(value);
  });

  it("replaces each, and shares what has none", () => {
    const plain = { n: 1 };
    const replaced = replaceBigInts({ plain, big: [2n ** 60n] }, String);
    expect(replaced).toEqual({ plain, big: ["1152921504606846976"] });
    expect((replaced as { plain: unknown }).plain).toBe(plain);
  });
});

describe("jsonTypeOf", () => {
  it.each<[JsonValue, string]>([
    [null, "null"],
    [[], "array"],
    [{}, "object"],
    ["", "string"],
    [true, "boolean"],
    [1, "integer"],
    [1.5, "number"],
    [2n ** 60n, "integer"],
  ])("names the type of %o: %s", (value, type) => {
    expect(jsonTypeOf(value)).toBe(type);
  });
});

describe("losesDigits", () => {
  it.each([
    "0.1000000000000000055511151231257827",
    "12345678901234567890.5",
    "-1e-400",
    "1e23456",
    '{"a":["e",3.14159265358979323846]}',
    "123456789012345678e1",
  ])("is true of %s", (text) => {
    expect(losesDigits(text)).toBe(true);
  });

  it.each([
    "0",
    "-0.0",
    "0e5",
    "0.1",
    "1.50",
    "150e-2",
    "1E+3",
    "1e21",
    "5e-324",
    "1.7976931348623157e308",
    "0.000000000000000000000000000001",
    "100000000000000000000000.0",
    "12345678901234567890",
    '{"a":"0.1000000000000000055511151231257827"}',
  ])("is false of %s", (text) => {
    expect(losesDigits(text)).toBe(false);
  });
});
