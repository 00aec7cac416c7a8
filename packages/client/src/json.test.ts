import { describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "./json.ts";

describe("parseJson", () => {
  it("keeps the digits of integers that a double cannot hold", () => {
    expect(parseJson('{"Id":1917043659912705296,"n":-9007199254740993,"small":42}')).toEqual({
      Id: 1917043659912705296n,
      n: -9007199254740993n,
      small: 42,
    });
  });

  it("leaves fractions, exponents and digits in text alone", () => {
    const text = '["1917043659912705296",1.9170436599127052,1e20,0.1]';
    expect(parseJson(text)).toEqual(["1917043659912705296", 1.9170436599127052, 1e20, 0.1]);
  });

  it("makes an own key of __proto__", () => {
    const value = parseJson('{"__proto__":{"admin":1917043659912705296}}') as object;
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("stringifyJson", () => {
  it("is the inverse of parseJson", () => {
    const text = '{"a":[18446744073709551615,null,true,"x"],"b":{"c":-9007199254740993}}';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it("indents", () => {
    expect(stringifyJson({ a: [9007199254740993n] }, 2)).toBe('{\n  "a": [\n    9007199254740993\n  ]\n}');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %s instead of writing null", (number) => {
    expect(() => stringifyJson({ deep: { x: number } })).toThrow(`"x" is ${number}, which JSON cannot hold`);
  });

  it("refuses what has no JSON form", () => {
    expect(() => stringifyJson(undefined)).toThrow("A value of type undefined has no JSON form");
    expect(() => stringifyJson(() => 1)).toThrow(TypeError);
  });
});
