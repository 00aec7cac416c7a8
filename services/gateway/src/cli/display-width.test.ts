import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutTo, displayWidth, padEnd } from "./display-width.ts";

describe("displayWidth", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["天气", 4],
    ["ｗ", 2],
    ["한국", 4],
    ["🌤️", 2],
    ["👨‍👩‍👧", 2],
    ["\u200b", 0],
  ])("%j takes %i columns", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe("cutTo", () => {
  it("leaves alone what fits, and shows what is missing", () => {
    expect(cutTo("weather", 7)).toBe("weather");
    expect(cutTo("weather", 6)).toBe("weath…");
    expect(cutTo("查询天气", 8)).toBe("查询天气");
    expect(cutTo("查询天气", 7)).toBe("查询天…");
    expect(cutTo("查询天气", 6)).toBe("查询…");
    expect(cutTo("ab cd", 4)).toBe("ab…");
    expect(cutTo("abc", 0)).toBe("");
  });

  it("is never wider than allowed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, width) => {
        expect(displayWidth(cutTo(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("padEnd", () => {
  it("counts columns, not code units", () => {
    expect(padEnd("天", 4)).toBe("天  ");
    expect(padEnd("abcd", 2)).toBe("abcd");
  });
});
