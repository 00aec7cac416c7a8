import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "./json.ts";
import { resultText, UnwritableResult } from "./result-text.ts";

const loop: { self?: unknown; list: unknown[] } = { list: [] };
loop.list.push({ up: loop });

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

describe("a result as JSON text", () => {
  it("of any JSON value is read as the same value again", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(resultText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("keeps every digit of every integer", () => {
    fc.assert(
      fc.property(fc.bigInt(), (big) => {
        const text = resultText({ big, list: [big] });
        expect(text).toBe(`{"big":${big},"list":[${big}]}`);
        const safe = big >= BigInt(Number.MIN_SAFE_INTEGER) && big <= BigInt(Number.MAX_SAFE_INTEGER);
        expect(parseJson(text)).toEqual(safe ? { big: Number(big), list: [Number(big)] } : { big, list: [big] });
      }),
    );
  });

  it.each([
    [undefined, "null"],
    [null, "null"],
    [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [{ toJSON: () => ({ n: 2n ** 64n }) }, '{"n":18446744073709551616}'],
    ["\u2028\ud800", '"\u2028\\ud800"'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ])("%o", (value, text) => {
    expect(resultText(value)).toBe(text);
  });

  it.each([
    [loop, "The result at /list/0/up contains itself, so its JSON would never end."],
    [{ a: [0, Number.NaN] }, "The result at /a/1 is NaN, which JSON cannot hold; return null or text instead."],
    [-Infinity, "The result is -Infinity, which JSON cannot hold; return null or text instead."],
    [{ "a/b": new Map() }, "The result at /a~1b is a Map, which JSON cannot hold; return Object.fromEntries(map)."],
    [new Set([1]), "The result is a Set, which JSON cannot hold; return [...set]."],
    [{ later: Promise.resolve(1) }, "The result at /later is a promise; await it first."],
    [() => 1, "The result is a function, which JSON cannot hold."],
    [{ s: Symbol("s") }, "The result at /s is a symbol, which JSON cannot hold."],
    [nested(100_000), "The result is nested more than 512 levels deep."],
  ])("refuses what JSON would lose: %#", (value, words) => {
    expect(() => resultText(value)).toThrow(new UnwritableResult(words));
  });

  it("takes the same object twice, which is no circle", () => {
    const twice = { a: 1 };
    expect(resultText([twice, twice])).toBe('[{"a":1},{"a":1}]');
  });

  it("lets through what a toJSON throws, so that it is not told to strangers", () => {
    const error = new Error("password");
    const hostile = {
      toJSON() {
        throw error;
      },
    };
    expect(() => resultText({ hostile })).toThrow(error);
  });
});
