import { CHECK_CACHE_MS, type ProbeResult } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { type Answer, leave, never, OK, openProber, toolFor, untilAborted } from "../test/prober.ts";
import { PROBE_TIMEOUT_MS } from "./health-prober.ts";

describe("HealthProber: bounds", () => {
  it.each([
    ["that ends when it is told to", untilAborted],
    ["that never ends", never],
  ])("takes 2 s without an answer for a failure, also of a probe %s", async (_what, answer) => {
    const { clock, prober, signals, store, health } = openProber({ answer });
    await store.apply(toolFor("a"));
    prober.start();
    await clock.advanceAsync(PROBE_TIMEOUT_MS - 1);
    expect(health("a")).toBeUndefined();
    await clock.advanceAsync(1);
    expect(health("a")).toMatchObject({ state: "unavailable", reason: "no answer to the check within 2 s" });
    expect(signals[0]?.aborted).toBe(true);
    prober.stop();
  });

  it("takes a probe that throws for a failure", async () => {
    const { clock, prober, store, health } = openProber({ answer: () => Promise.reject(new Error("a bug")) });
    await store.apply(toolFor("a"));
    prober.start();
    await clock.advanceAsync(0);
    expect(health("a")).toMatchObject({ state: "unavailable", reason: expect.stringContaining("a bug") });
    prober.stop();
  });

  it("runs at most 16 probes at once, first come first served, and all of them in the end", async () => {
    const waiting = new Map<string, () => void>();
    const answer: Answer = (name) => new Promise((resolve) => waiting.set(name, () => resolve(OK)));
    const { asked, clock, prober, store } = openProber({ answer });
    const names = Array.from({ length: 40 }, (_, n) => `c${n}`);
    for (const name of names) await store.apply(toolFor(name));
    prober.start();
    await clock.advanceAsync(0);
    expect(asked).toEqual(names.slice(0, 16));
    for (let done = 0; done < names.length; done++) {
      waiting.get(names[done] as string)?.();
      await clock.advanceAsync(0);
      expect(asked).toEqual(names.slice(0, 17 + done));
    }
    expect(store.snapshot().health.size).toBe(40);
    prober.stop();
  });

  it("asks a check once that went and came back while it waited for its turn", async () => {
    const release = Promise.withResolvers<ProbeResult>();
    const { asked, clock, prober, store } = openProber({
      answer: (name) => (name === "late" ? Promise.resolve(OK) : release.promise),
    });
    for (let n = 0; n < 16; n++) await store.apply(toolFor(`busy${n}`));
    prober.start();
    for (const _ of "123") {
      await store.apply(toolFor("late"));
      await store.apply(leave("late"));
    }
    await store.apply(toolFor("late"));
    release.resolve(OK);
    await clock.advanceAsync(0);
    expect(asked.filter((name) => name === "late")).toHaveLength(1);
    await clock.advanceAsync(CHECK_CACHE_MS);
    expect(asked.filter((name) => name === "late")).toHaveLength(2);
    prober.stop();
  });

  it("gives the place of a probe that nobody asks for any more to the next", async () => {
    const { asked, clock, prober, signals, store } = openProber({ answer: untilAborted });
    for (let n = 0; n < 17; n++) await store.apply(toolFor(`c${n}`));
    prober.start();
    await clock.advanceAsync(0);
    expect(asked).not.toContain("c16");
    await store.apply(leave("c0"));
    await clock.advanceAsync(0);
    expect(signals[0]?.aborted).toBe(true);
    expect(asked).toContain("c16");
    prober.stop();
  });

  it("leaves nothing when it is stopped: no timer, no probe, no answer that still comes in", async () => {
    const { asked, clock, prober, signals, store } = openProber({
      answer: (name, signal) => (name === "quick" ? Promise.resolve(OK) : untilAborted(name, signal)),
    });
    await store.apply(toolFor("quick"));
    for (let n = 0; n < 20; n++) await store.apply(toolFor(`slow${n}`));
    prober.start();
    await clock.advanceAsync(0);
    const before = store.snapshot();
    const settled = prober.settled();
    prober.stop();
    await settled;
    await clock.advanceAsync(0);
    expect(clock.pending).toBe(0);
    expect(signals.slice(1).every((signal) => signal.aborted)).toBe(true);
    await store.apply(toolFor("later"));
    await clock.advanceAsync(CHECK_CACHE_MS * 2);
    expect(asked).not.toContain("later");
    expect(store.snapshot().health).toBe(before.health);
  });

  it("goes on when the store does not take an answer, and says so", async () => {
    const errors: unknown[] = [];
    const away = new Error("the store is away");
    const { asked, clock, prober, store } = openProber({
      apply: () => Promise.reject(away),
      onError: (error) => errors.push(error),
    });
    await store.apply(toolFor("a"));
    prober.start();
    await prober.settled();
    await clock.advanceAsync(CHECK_CACHE_MS);
    expect(errors).toEqual([away, away]);
    expect(asked).toEqual(["a", "a"]);
    prober.stop();
  });
});
