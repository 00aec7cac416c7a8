import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectRegExp, safeRegExp } from "./safe-regexp.ts";

function fits(pattern: string, text: string): boolean {
  return safeRegExp(pattern).test(text);
}

describe("patterns mean what ECMA-262 says", () => {
  it.each([
    ["^\\s$", "\u00a0", true],
    ["^\\S$", "\u00a0", false],
    ["^[\\s]$", "\ufeff", true],
    ["^.$", "\u2028", false],
    ["^.$", "\u{1f600}", true],
    ["^\\ud83d\\ude00$", "\u{1f600}", true],
    ["^[\\ud800\\udc00-\\udbff\\udfff]$", "\u{1f600}", true],
    ["^\u{1f600}{2}$", "\u{1f600}\u{1f600}", true],
    ["^[\\b]$", "\b", true],
    ["^\\x41\\u0042\\u{43}\\cJ\\0$", "ABC\n\0", true],
    ["^\\v\\t$", "\u000b\t", true],
    ["^\\-\\/\\_\\'$", "-/_'", true],
    ["^{a}$", "{a}", true],
    ["^a{,2}$", "a{,2}", true],
    ["^[[:alpha:]]$", "p]", true],
    ["^[[:alpha:]]$", "z", false],
    ["^[^]$", "\n", true],
    ["[]", "a", false],
    ["^[\\w-.]+$", "a-.", true],
    ["^[a^]+$", "a^", true],
    ["^\\p{Letter}\\p{Script=Greek}\\P{Lu}$", "éαa", true],
    ["^(?<year>\\d{4})$", "2026", true],
    ["^a$", "a\n", false],
    ["(?<!-)b$", "-b", false],
    ["(?<!-)b$", "ab", true],
  ])("%j on %j: %j", (pattern, text, expected) => {
    expect(inspectRegExp(pattern)).toBeUndefined();
    expect(fits(pattern, text)).toBe(expected);
  });

  it("repeats beyond RE2's limit are counted exactly", () => {
    for (const [pattern, least, most] of [
      ["^a{2000}$", 2000, 2000],
      ["^a{1,2500}$", 1, 2500],
      ["^(?:ab?){1500,}?$", 1500, 4000],
      ["^[^]{0,4000}$", 0, 4000],
    ] as const) {
      expect(fits(pattern, "a".repeat(least))).toBe(true);
      expect(fits(pattern, "a".repeat(most))).toBe(true);
      if (least > 0) expect(fits(pattern, "a".repeat(least - 1))).toBe(false);
      if (most < 4000 || pattern.startsWith("^[")) expect(fits(pattern, "a".repeat(most + 1))).toBe(false);
    }
  });

  it("that are too long are refused", () => {
    expect(inspectRegExp("a".repeat(10_001))).toMatch(/at most 10000 are allowed/);
  });

  const part = fc.constantFrom(
    ..."abz09 -_.^$|{}[]()\n\u00a0é",
    ...["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\b", "[a-z]", "[^a]", "[\\s-]", "(?:ab|c)", "(a)"],
    ...["*", "+", "?", "*?", "{2}", "{0,3}", "{1,}", "(?=a)", "(?!b)", "^(?=a)(?!ab)", "\u{1f600}", "\\u00e9"],
  );
  const pattern = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  const text = fc.string({ unit: fc.constantFrom(..."abcz09 -_.{}\n\u00a0é\u{1f600}"), maxLength: 6 });

  it("agree with the engine of the language, wherever both can use them", () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 6 }), (source, texts) => {
        const native = nativeRegExp(source);
        if (native === undefined || inspectRegExp(source) !== undefined) return;
        for (const sample of texts)
          expect([source, sample, fits(source, sample)]).toEqual([source, sample, native.test(sample)]);
      }),
      { numRuns: 500 },
    );
  });

  it("are never a reason to fall over", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), pattern), (source) => {
        const problem = inspectRegExp(source);
        if (problem === undefined) fits(source, "abc");
      }),
      { numRuns: 500 },
    );
  });
});

function nativeRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}

describe("look-ahead right behind a leading ^", () => {
  it.each([
    ["^(?=.*[A-Z])(?=.*\\d).{8,}$", "Passw0rd", true],
    ["^(?=.*[A-Z])(?=.*\\d).{8,}$", "password", false],
    ["^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z]+$", "a.b@c", true],
    ["^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z]+$", "a..b@c", false],
    ["^(?=.{1,5}$)[a-z]+$|^0$", "abcdef", false],
    ["^(?=.{1,5}$)[a-z]+$|^0$", "0", true],
    ["^(?=[)|])[)|]x$", "|x", true],
  ])("%j on %j: %j", (pattern, text, expected) => {
    expect(inspectRegExp(pattern)).toBeUndefined();
    expect(fits(pattern, text)).toBe(expected);
  });

  it.each([
    ["a(?=b)", /look-ahead is only supported right behind a leading \^/],
    ["^(?:(?!a).)*$", /look-ahead/],
    ["(a)\\1", /back references are not supported/],
    ["(?<n>a)\\k<n>", /back references are not supported/],
    ["\\Aabc\\Z", /\\A is not an escape of ECMA-262/],
    ["(", /a \( is not closed/],
    [")", /a \) has no \(/],
    ["[a", /a \[ is not closed/],
    ["*", /nothing to repeat/],
    ["a\\", /ends with a backslash/],
    ["\\p{Nonsense}", /Nonsense/],
    ["(a{1000}){1000}", /too large/],
    ["a{99999999}", /too large/],
  ])("%j is refused: %s", (pattern, reason) => {
    expect(inspectRegExp(pattern)).toMatch(reason);
    expect(inspectRegExp(pattern)).toMatch(/supported: RE2 syntax/);
  });
});

describe("time", () => {
  it("is short for a pattern that makes other engines hang", () => {
    const evil = safeRegExp("^(a+)+$");
    const startedAt = performance.now();
    expect(evil.test(`${"a".repeat(30)}!`)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(100);
  });

  it("is bounded: a text that would take too long does not fit", () => {
    const slow = safeRegExp("(x+x+)+y|(a|b)*a(a|b){900}");
    const startedAt = performance.now();
    expect(slow.test("ab".repeat(1_000_000))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
