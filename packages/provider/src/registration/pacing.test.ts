import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backOffMs, FIRST_WAIT_MS, heartbeatMs, heartbeatsToRetry, MAX_WAIT_MS } from "./pacing.ts";

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("back-off", () => {
  it("is never longer than its bound, and never nothing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fraction, (failures, random) => {
        const ms = backOffMs(failures, MAX_WAIT_MS, () => random);
        expect(ms).toBeGreaterThanOrEqual(FIRST_WAIT_MS / 2);
        expect(ms).toBeLessThanOrEqual(MAX_WAIT_MS);
      }),
    );
  });

  it("doubles, and is spread over half of itself", () => {
    expect([1, 2, 3].map((failures) => backOffMs(failures, MAX_WAIT_MS, () => 0))).toEqual([100, 200, 400]);
    expect(backOffMs(2, MAX_WAIT_MS, () => 0.999)).toBeCloseTo(400, 0);
  });
});

describe("heartbeats", () => {
  it("come at least three times a lease, but not many more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 5_000, max: 3_600_000 }), fraction, (leaseMs, random) => {
        const ms = heartbeatMs(leaseMs, () => random);
        expect(ms).toBeLessThanOrEqual(leaseMs / 3);
        expect(ms).toBeGreaterThanOrEqual(leaseMs / 4);
      }),
    );
  });
});

describe("asking again for a taken name", () => {
  it("is often for two leases, then ever more seldom, to a bound", () => {
    expect([1, 6, 7, 8, 9, 10, 11, 12, 1_000].map(heartbeatsToRetry)).toEqual([1, 1, 2, 4, 8, 16, 32, 32, 32]);
  });
});
