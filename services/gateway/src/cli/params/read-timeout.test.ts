import { parseDuration } from "@toolgate/documents";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../exit-codes.ts";
import { readTimeout } from "./read-timeout.ts";

describe("readTimeout", () => {
  it.each([
    ["5s", 5_000],
    ["500ms", 500],
    [" 1.5m ", 90_000],
    ["24h", 86_400_000],
    ["0.1ms", 1],
  ])("reads %j", (text, ms) => {
    expect(readTimeout(text)).toBe(ms);
  });

  it.each(["", "5", "s", "-5s", "0s", "25h", "5 parsecs", "2d", "1e3s"])("refuses %j", (text) => {
    expect(() => readTimeout(text)).toThrow(UsageError);
  });

  it("means the same as in the configuration", () => {
    const texts = fc
      .tuple(fc.integer({ min: 1, max: 1_000 }), fc.constantFrom("ms", "s", "m"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseDuration(text)).toEqual({ ok: true, value: readTimeout(text) });
      }),
    );
  });
});
