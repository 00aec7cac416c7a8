import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { written } from "./layered-map.ts";

const START = new Map(Array.from({ length: 400 }, (_, i) => [`k${i}`, i]));
const keyName = fc.nat({ max: 420 }).map((i) => `k${i}`);
const changes = fc
  .array(fc.tuple(keyName, fc.option(fc.integer(), { nil: undefined })), { maxLength: 8 })
  .map((entries) => new Map(entries));

function edited(map: ReadonlyMap<string, number>, by: ReadonlyMap<string, number | undefined>): Map<string, number> {
  const copy = new Map(map);
  for (const [name, value] of by) {
    if (value === undefined) copy.delete(name);
    else copy.set(name, value);
  }
  return copy;
}

describe("written", () => {
  it("reads like a plain map after any changes, and leaves what it came from alone", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 20 }), (history) => {
        let map: ReadonlyMap<string, number> = START;
        let plain = new Map(START);
        for (const step of history) {
          const before = [...map];
          const next = written(map, step);
          expect([...map]).toEqual(before);
          map = next;
          plain = edited(plain, step);
          expect(map.size).toBe(plain.size);
          expect(new Map(map)).toEqual(plain);
        }
        expect([...map.keys()].sort()).toEqual([...plain.keys()].sort());
        expect([...map.values()].sort()).toEqual([...plain.values()].sort());
        const visited: [string, number][] = [];
        map.forEach((value, name) => {
          visited.push([name, value]);
        });
        expect(new Map(visited)).toEqual(plain);
        for (const name of ["k0", "k399", "k410", "no-such"]) {
          expect(map.has(name)).toBe(plain.has(name));
          expect(map.get(name)).toBe(plain.get(name));
        }
      }),
    );
    expect(START.size).toBe(400);
  });

  it("makes a plain map of what is small", () => {
    expect(
      written(
        new Map([["a", 1]]),
        new Map([
          ["a", undefined],
          ["b", 2],
        ]),
      ),
    ).toEqual(new Map([["b", 2]]));
  });

  it("has __proto__ as a key like any other", () => {
    const map = written(START, new Map([["__proto__", 7]]));
    expect([map.get("__proto__"), map.size, map.has("constructor")]).toEqual([7, 401, false]);
  });
});
