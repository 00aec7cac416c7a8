import {
  CHECK_CACHE_MS,
  CHECK_GRACE_MS,
  checkKey,
  type HealthState,
  type ProbeResult,
  UNHEALTHY_RECHECK_MS,
} from "@toolgate/core";
import { anOffer, aRegister, aTool } from "@toolgate/testkit/builders";
import { describe, expect, it } from "vitest";
import { DOWN, leave, OK, openProber, toolFor } from "../test/prober.ts";

describe("HealthProber: what it asks", () => {
  it("asks a check once for all that share it, however they write it", async () => {
    const { asked, clock, prober, store, health } = openProber();
    const check = { kind: "env", settings: { name: "a", more: 1 } };
    const reordered = { kind: "env", settings: { more: 1, name: "a" } };
    await store.apply(
      aRegister({
        toolsets: [anOffer({ check, tools: [aTool({ name: "x", check: reordered }), aTool({ name: "y", check })] })],
      }),
    );
    prober.start();
    await clock.advanceAsync(0);
    expect(asked).toEqual(["a"]);
    expect(store.snapshot().health.get(checkKey(check))).toMatchObject({ state: "healthy" });
    expect(health("a")).toBeUndefined();
    prober.stop();
  });

  it("asks checks that come later, at once, and not those that it asks already", async () => {
    const { asked, clock, prober, store } = openProber();
    prober.start();
    await store.apply(toolFor("a"));
    await clock.advanceAsync(0);
    await store.apply(toolFor("b"));
    await clock.advanceAsync(0);
    expect(asked).toEqual(["a", "b"]);
    prober.stop();
  });

  it("says of a kind that it does not know that there is none", async () => {
    const { clock, prober, store } = openProber();
    const check = { kind: "toString", settings: {} };
    await store.apply(toolFor("a", check));
    prober.start();
    await clock.advanceAsync(0);
    expect(store.snapshot().health.get(checkKey(check))).toMatchObject({
      state: "unavailable",
      reason: 'there is no check of kind "toString"',
    });
    prober.stop();
  });

  it("forgets a check that nothing asks any more, and its answer", async () => {
    const { asked, clock, prober, store, health } = openProber();
    prober.start();
    await store.apply(toolFor("a"));
    await clock.advanceAsync(0);
    await store.apply(leave("a"));
    await clock.advanceAsync(CHECK_CACHE_MS * 2);
    expect(asked).toEqual(["a"]);
    expect(health("a")).toBeUndefined();
    expect(clock.pending).toBe(0);
    prober.stop();
  });

  it("begins anew with a check that comes back: what it knew is forgotten", async () => {
    const answers: ProbeResult[] = [OK, DOWN];
    const { clock, prober, store, health } = openProber({ answer: async () => answers.shift() ?? OK });
    prober.start();
    await store.apply(toolFor("a"));
    await clock.advanceAsync(0);
    await store.apply(leave("a"));
    await store.apply(toolFor("a"));
    await clock.advanceAsync(0);
    // Remembered, the success would make this a flake.
    expect(health("a")).toMatchObject({ state: "unavailable" });
    prober.stop();
  });

  it("tells when every check has been answered once", async () => {
    const release = Promise.withResolvers<ProbeResult>();
    const { clock, prober, store } = openProber({
      answer: (name) => (name === "slow" ? release.promise : Promise.resolve(DOWN)),
    });
    await store.apply(toolFor("slow"));
    await store.apply(toolFor("quick"));
    prober.start();
    let isSettled = false;
    const settled = prober.settled().then(() => {
      isSettled = true;
    });
    await clock.advanceAsync(0);
    expect(isSettled).toBe(false);
    release.resolve(OK);
    await settled;
    expect(store.snapshot().health.size).toBe(2);
    prober.stop();
  });
});

describe("HealthProber: what the answers mean", () => {
  it("asks a healthy check again after 30 s", async () => {
    const { asked, clock, prober, store } = openProber();
    await store.apply(toolFor("a"));
    prober.start();
    await clock.advanceAsync(CHECK_CACHE_MS - 1);
    expect(asked).toHaveLength(1);
    await clock.advanceAsync(1);
    expect(asked).toHaveLength(2);
    await clock.advanceAsync(CHECK_CACHE_MS * 3);
    expect(asked).toHaveLength(5);
    prober.stop();
  });

  it("asks what is not healthy again after 5 s, and sees its return then", async () => {
    let answer: ProbeResult = DOWN;
    const { asked, clock, prober, store, health } = openProber({ answer: async () => answer });
    await store.apply(toolFor("a"));
    prober.start();
    await clock.advanceAsync(UNHEALTHY_RECHECK_MS - 1);
    expect(health("a")).toMatchObject({ state: "unavailable", reason: "it is down" });
    expect(asked).toHaveLength(1);
    answer = OK;
    await clock.advanceAsync(1);
    expect(health("a")).toMatchObject({ state: "healthy", reason: "", checkedAt: clock.now() });
    prober.stop();
  });

  it("serves a flake: a failure counts once the last success is 60 s old", async () => {
    let answer: ProbeResult = OK;
    const { clock, prober, store, health } = openProber({ answer: async () => answer });
    await store.apply(toolFor("a"));
    prober.start();
    await clock.advanceAsync(0);
    answer = DOWN;
    const seen: HealthState[] = [];
    for (let at = 0; at <= CHECK_GRACE_MS + 5_000; at += 5_000) {
      seen.push(health("a")?.state ?? "unknown");
      await clock.advanceAsync(5_000);
    }
    expect(seen).toEqual([...Array(6).fill("healthy"), ...Array(6).fill("degraded"), ...Array(2).fill("unavailable")]);
    prober.stop();
  });

  it("spreads its probes by a tenth of their interval", async () => {
    const { asked, clock, prober, store } = openProber({ random: () => 0 });
    await store.apply(toolFor("a"));
    prober.start();
    await clock.advanceAsync(CHECK_CACHE_MS * 0.9);
    expect(asked).toHaveLength(2);
    prober.stop();
  });
});
