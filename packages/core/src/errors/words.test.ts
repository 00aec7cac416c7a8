import { describe, expect, it } from "vitest";
import { cut, durationInWords, excerpt, ownWords, quotedExcerpt } from "./words.ts";

describe("words of messages", () => {
  it("repeat a long text only in part", () => {
    expect(excerpt("abc", 3)).toBe("abc");
    expect(excerpt("abcd", 3)).toBe("abc…");
    expect(quotedExcerpt('a"\n', 2)).toBe('"a\\"…"');
  });

  it("never end in half a surrogate pair where they are cut", () => {
    expect(cut("ab😀", 3)).toBe("ab");
    expect(cut("ab😀", 4)).toBe("ab😀");
    expect(cut("ab😀c", 4)).toBe("ab😀");
  });

  it("end a sentence with what the backend said", () => {
    expect(ownWords(" \n")).toBe(".");
    expect(ownWords(" no such city\n")).toBe(": no such city");
    expect(ownWords("x".repeat(301))).toBe(`: ${"x".repeat(300)}…`);
  });

  it("say durations in the unit that fits", () => {
    expect([0.4, 999, 1000, 1449, 30_000].map(durationInWords)).toEqual(["0 ms", "999 ms", "1 s", "1.4 s", "30 s"]);
  });
});
