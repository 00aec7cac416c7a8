import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CHECK_CACHE_MS,
  CHECK_GRACE_MS,
  type CheckHistory,
  isUsable,
  judge,
  nextProbeIn,
  UNPROBED,
} from "./availability.ts";

const GOOD = { ok: true } as const;
const BAD = { ok: false, reason: "connection refused" } as const;
const refusedAt = (at: number) => ({ reason: "connection refused", at });

describe("judge", () => {
  it("keeps the bounds of the contract: an answer for 30 s, a grace of 60 s", () => {
    expect([CHECK_CACHE_MS, CHECK_GRACE_MS]).toEqual([30_000, 60_000]);
  });

  it("counts the first failure of a check that never succeeded", () => {
    expect(judge(UNPROBED, BAD, 5)).toEqual({
      health: { state: "unavailable", reason: "connection refused", checkedAt: 5, lastFailure: refusedAt(5) },
    });
  });

  it("takes a failure within 60 s of a success for a flake, after that it counts", () => {
    const good = judge(UNPROBED, GOOD, 1_000);
    expect(good).toEqual({ lastSuccessAt: 1_000, health: { state: "healthy", reason: "", checkedAt: 1_000 } });
    const flake = judge(good, BAD, 60_999);
    expect(flake.health).toMatchObject({ state: "degraded", reason: "connection refused", checkedAt: 60_999 });
    expect(isUsable(flake.health)).toBe(true);
    const down = judge(flake, BAD, 61_000);
    expect(down.health.state).toBe("unavailable");
    expect(isUsable(down.health)).toBe(false);
  });

  it("is healthy again with the first success, and starts the grace anew", () => {
    const down = judge(judge(UNPROBED, GOOD, 0), BAD, 70_000);
    const back = judge(down, GOOD, 80_000);
    expect(back.health.state).toBe("healthy");
    expect(judge(back, BAD, 139_999).health.state).toBe("degraded");
  });

  it("remembers the newest failure when all is well again", () => {
    const down = judge(judge(judge(UNPROBED, GOOD, 0), BAD, 70_000), BAD, 75_000);
    const back = judge(judge(down, GOOD, 80_000), GOOD, 90_000);
    expect(back.health).toEqual({ state: "healthy", reason: "", checkedAt: 90_000, lastFailure: refusedAt(75_000) });
  });

  it("is unavailable exactly when no success lies within the grace", () => {
    const probe = fc.record({ after: fc.integer({ min: 0, max: 50_000 }), good: fc.boolean() });
    fc.assert(
      fc.property(fc.array(probe), (probes) => {
        let history: CheckHistory = UNPROBED;
        let now = 0;
        let lastGood = Number.NEGATIVE_INFINITY;
        for (const { after, good } of probes) {
          now += after;
          history = judge(history, good ? GOOD : BAD, now);
          lastGood = good ? now : lastGood;
          expect(isUsable(history.health)).toBe(now - lastGood < CHECK_GRACE_MS);
          expect(history.health.state === "healthy").toBe(good);
        }
      }),
    );
  });
});

describe("nextProbeIn", () => {
  it("probes what is healthy after 30 s, and everything else sooner", () => {
    const good = judge(UNPROBED, GOOD, 0);
    expect(nextProbeIn(good)).toBe(CHECK_CACHE_MS);
    for (const history of [UNPROBED, judge(good, BAD, 1), judge(UNPROBED, BAD, 1)]) {
      expect(nextProbeIn(history)).toBeGreaterThan(0);
      expect(nextProbeIn(history)).toBeLessThan(CHECK_CACHE_MS);
    }
  });
});

describe("isUsable", () => {
  it.each([
    ["healthy", true],
    ["degraded", true],
    ["unknown", true],
    ["unavailable", false],
  ] as const)("%s: %s", (state, usable) => {
    expect(isUsable({ state, reason: "" })).toBe(usable);
  });
});
