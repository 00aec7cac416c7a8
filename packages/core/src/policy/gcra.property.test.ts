import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterCall, callsLeft, type Gcra, gcraOf, waitUs, wholeMs } from "./gcra.ts";

const rates = fc.record({
  calls: fc.integer({ min: 1, max: 50 }),
  perMs: fc.constantFrom(1_000, 60_000, 3_600_000, 86_400_000),
});
const bursts = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
/** Pauses between calls, as shares of the interval: many come at once, some wait long. */
const pauses = fc.array(
  fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3, noNaN: true }), fc.integer({ min: 0, max: 80 })),
  { maxLength: 200 },
);
/** Microseconds since 1970, or since a process began. */
const starts = fc.constantFrom(0, 17, 1_800_000_000_000_000);

/** When the calls came that were let through. */
function admitted(rule: Gcra, start: number, gaps: readonly number[]): number[] {
  const times: number[] = [];
  let now = start;
  let wholeAt = 0;
  for (const gap of gaps) {
    now += Math.round(gap * rule.intervalUs);
    if (waitUs(rule, wholeAt, now) > 0) continue;
    wholeAt = afterCall(rule, wholeAt, now);
    times.push(now);
  }
  return times;
}

describe("a rate limit", () => {
  it("lets through at most its burst and one call an interval, in any stretch of time", () => {
    fc.assert(
      fc.property(rates, bursts, starts, pauses, (rate, burst, start, gaps) => {
        const rule = gcraOf(rate, burst);
        const times = admitted(rule, start, gaps);
        for (const [first, from] of times.entries()) {
          for (const [more, to] of times.slice(first).entries()) {
            expect(more + 1).toBeLessThanOrEqual(rule.burst + Math.floor((to - from) / rule.intervalUs));
          }
        }
      }),
    );
  });

  it("with a burst of one lets no period have more calls than the rate", () => {
    fc.assert(
      fc.property(rates, starts, pauses, (rate, start, gaps) => {
        const times = admitted(gcraOf(rate, 1), start, gaps);
        for (const [first, from] of times.entries()) {
          const end = from + rate.perMs * 1000;
          expect(times.slice(first).filter((time) => time < end).length).toBeLessThanOrEqual(rate.calls);
        }
      }),
    );
  });

  it("lets a call through after the wait it tells, and not one millisecond sooner", () => {
    fc.assert(
      fc.property(rates, bursts, starts, pauses, (rate, burst, start, gaps) => {
        const rule = gcraOf(rate, burst);
        let now = start;
        let wholeAt = 0;
        for (const gap of gaps) {
          now += Math.round(gap * rule.intervalUs);
          const retryAfterMs = wholeMs(waitUs(rule, wholeAt, now));
          expect(waitUs(rule, wholeAt, now + retryAfterMs * 1000)).toBe(0);
          if (retryAfterMs > 0) expect(waitUs(rule, wholeAt, now + (retryAfterMs - 1) * 1000)).toBeGreaterThan(0);
          else wholeAt = afterCall(rule, wholeAt, now);
        }
      }),
    );
  });

  it("has exactly as many calls left as it then lets through at once", () => {
    fc.assert(
      fc.property(rates, bursts, starts, pauses, (rate, burst, start, gaps) => {
        const rule = gcraOf(rate, burst);
        const times = admitted(rule, start, gaps);
        let wholeAt = 0;
        for (const time of times) wholeAt = afterCall(rule, wholeAt, time);
        const now = times.at(-1) ?? start;
        expect(admittedFrom(rule, wholeAt, now)).toBe(callsLeft(rule, wholeAt, now));
        expect(callsLeft(rule, wholeAt, Math.max(now, wholeAt))).toBe(rule.burst);
      }),
    );
  });

  it("lets through its whole rate in the long run", () => {
    fc.assert(
      fc.property(rates, (rate) => {
        const rule = gcraOf(rate);
        // Ten periods, asked ten times an interval.
        const times = admitted(rule, 0, Array(rate.calls * 100).fill(0.1));
        expect(times.length).toBeGreaterThanOrEqual(rate.calls * 10);
      }),
    );
  });
});

function admittedFrom(rule: Gcra, from: number, now: number): number {
  let wholeAt = from;
  let count = 0;
  while (waitUs(rule, wholeAt, now) === 0) {
    wholeAt = afterCall(rule, wholeAt, now);
    count += 1;
  }
  return count;
}

describe("the edge of a second", () => {
  // Two budgets at 0.9 s and 1.1 s are what a counter that starts anew each second lets through.
  it("row 44 (envoyproxy/ratelimit#269): lets no second budget through", () => {
    const rule = gcraOf({ calls: 10, perMs: 1_000 });
    const at = (second: number) => Array(10).fill(second * 1_000_000);
    let wholeAt = 0;
    const passed = [...at(0.9), ...at(1.1)].filter((now) => {
      if (waitUs(rule, wholeAt, now) > 0) return false;
      wholeAt = afterCall(rule, wholeAt, now);
      return true;
    });
    // What came back in the 0.2 s between.
    expect(passed).toEqual([...at(0.9), 1_100_000, 1_100_000]);
  });
});
