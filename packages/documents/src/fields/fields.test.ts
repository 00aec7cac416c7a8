import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteSize, parseByteSize } from "./byte-size.ts";
import { duration, formatDuration, MAX_DURATION_MS, parseDuration } from "./duration.ts";
import { legalName } from "./names.ts";
import { parseRate, rate } from "./rate.ts";

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PERIOD_MS = {
  s: 1_000,
  sec: 1_000,
  min: 60_000,
  m: 60_000,
  hour: 3_600_000,
  h: 3_600_000,
  day: 86_400_000,
} as const;
const unit = fc.constantFrom(...(Object.keys(UNIT_MS) as (keyof typeof UNIT_MS)[]));
const period = fc.constantFrom(...(Object.keys(PERIOD_MS) as (keyof typeof PERIOD_MS)[]));

describe("duration", () => {
  it.each([
    ["5s", 5_000],
    ["100ms", 100],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["1.5s", 1_500],
    ["1.1s", 1_100],
    ["0s", 0],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ms });
  });

  it.each(["5", "s", "-5s", "5 s", "5S", "5sec", "1h30m", "0.5ms", "1e3s", "", "999999999999999d", "٣s"])(
    "refuses %j",
    (text) => {
      expect(parseDuration(text).ok).toBe(false);
    },
  );

  it("counts in its unit", () => {
    fc.assert(
      fc.property(fc.nat(366), unit, (count, name) => {
        expect(parseDuration(`${count}${name}`)).toEqual({ ok: true, value: count * UNIT_MS[name] });
      }),
    );
  });

  it("reads what formatDuration writes", () => {
    fc.assert(
      fc.property(fc.nat(MAX_DURATION_MS), (ms) => {
        expect(parseDuration(formatDuration(ms))).toEqual({ ok: true, value: ms });
      }),
    );
  });

  it("gives whole, bounded milliseconds or a sentence, whatever it reads", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9.]{1,20}(ms|s|m|h|d)$/));
    fc.assert(
      fc.property(text, (any) => {
        const parsed = parseDuration(any);
        const good = parsed.ok && Number.isInteger(parsed.value) && parsed.value <= MAX_DURATION_MS;
        expect(good || (!parsed.ok && parsed.message !== "")).toBe(true);
      }),
    );
  });

  it("holds its bounds", () => {
    const schema = duration({ minMs: 1, maxMs: 3_600_000 });
    expect(schema.safeParse("1h").data).toBe(3_600_000);
    expect(schema.safeParse("0s").error?.issues[0]?.message).toBe('Expected at least 1ms, not "0s".');
    expect(schema.safeParse("2h").error?.issues[0]?.message).toBe('Expected at most 1h, not "2h".');
  });
});

describe("rate", () => {
  it("counts in its period", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), period, (calls, name) => {
        expect(parseRate(`${calls}/${name}`)).toEqual({ ok: true, value: { calls, perMs: PERIOD_MS[name] } });
      }),
    );
  });

  it("gives a rate of at least 1 call or a sentence, whatever it reads", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{1,12}\/[a-z]{1,12}$/)), (any) => {
        const parsed = parseRate(any);
        const good = parsed.ok && parsed.value.calls > 0 && parsed.value.perMs >= 1_000;
        expect(good || (!parsed.ok && parsed.message !== "")).toBe(true);
      }),
    );
  });

  it.each(["0/min", "10", "10/", "/min", "10/mn", "1.5/s", "-1/s", "10/constructor", "10/min/s"])(
    "refuses %j",
    (text) => {
      expect(parseRate(text).ok).toBe(false);
    },
  );

  it("refuses a bare number in words", () => {
    expect(rate().safeParse(10).error?.issues[0]?.message).toMatch(/needs a period: write "10\/s"/);
  });
});

describe("byteSize", () => {
  it.each([
    ["4MiB", 4_194_304],
    ["64KiB", 65_536],
    ["1GiB", 1_073_741_824],
    ["512B", 512],
  ])("%s is %d bytes", (text, bytes) => {
    expect(parseByteSize(text)).toEqual({ ok: true, value: bytes });
  });

  it("says how to write what may mean two things", () => {
    expect(parseByteSize("4MB")).toMatchObject({ ok: false, message: expect.stringMatching(/Write MiB/) });
    expect(parseByteSize("4k")).toMatchObject({ ok: false, message: expect.stringMatching(/Write KiB/) });
  });

  it("holds its bounds, and refuses a bare number in words", () => {
    const schema = byteSize({ min: 1024, max: 2048 });
    expect(schema.safeParse("1KiB").data).toBe(1024);
    expect(schema.safeParse("3KiB").error?.issues[0]?.message).toMatch(/at most 2048B/);
    expect(schema.safeParse("1B").error?.issues[0]?.message).toMatch(/at least 1024B/);
    expect(schema.safeParse(1024).error?.issues[0]?.message).toMatch(/needs a unit: write "1024B"/);
  });
});

describe("legalName", () => {
  it("says which characters a name may have", () => {
    expect(legalName().safeParse("web_search").data).toBe("web_search");
    expect(legalName().safeParse("web search").error?.issues[0]?.message).toMatch(/letters, digits.*"web search"/);
  });
});
