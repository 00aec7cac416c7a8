import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);

describe("Retry-After", () => {
  it.each([
    ["30", 30_000],
    [" 0 ", 0],
    ["Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
    ["Monday, 30-Nov-26 12:00:30 GMT", 30_000],
    ["Mon Nov 30 12:00:30 2026", 30_000],
    ["Mon, 30 Nov 2026 11:00:00 GMT", 0],
    ["", undefined],
    ["soon", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["2026", 2_026_000],
    [undefined, undefined],
  ])("limits-05 (api7/aisix#144): %j is %j ms", (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it("is never negative, whatever the text", () => {
    fc.assert(fc.property(fc.string(), (text) => (retryAfterMs(text, NOW) ?? 0) >= 0));
  });
});
