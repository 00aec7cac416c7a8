import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Lifecycle } from "./lifecycle.ts";

/** A life, and what it logs. */
function open() {
  const infos: object[] = [];
  const errors: [object, string][] = [];
  const lifecycle = new Lifecycle({
    info: (fields) => infos.push(fields),
    error: (fields, message) => errors.push([fields, message]),
  });
  return { lifecycle, infos, errors };
}

describe("Lifecycle", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("goes from starting to ready, draining and stopped, and logs each step", async () => {
    const { lifecycle, infos } = open();
    expect(lifecycle.state).toBe("starting");
    lifecycle.ready();
    expect(lifecycle.state).toBe("ready");
    expect(lifecycle.draining.aborted).toBe(false);
    await lifecycle.stop();
    expect(lifecycle.state).toBe("stopped");
    expect(infos).toEqual([
      { from: "starting", to: "ready" },
      { from: "ready", to: "draining" },
      { from: "draining", to: "stopped" },
    ]);
  });

  it("never goes back", async () => {
    const { lifecycle } = open();
    await lifecycle.stop();
    lifecycle.ready();
    expect(lifecycle.state).toBe("stopped");
  });

  it("drains before it closes anything", async () => {
    const { lifecycle } = open();
    const seen: unknown[] = [];
    lifecycle.draining.addEventListener("abort", () => seen.push(lifecycle.state));
    lifecycle.onStop("a", 100, () => void seen.push(lifecycle.draining.aborted));
    await lifecycle.stop();
    expect(seen).toEqual(["draining", true]);
  });

  it("closes what was opened last first, one after the other", async () => {
    const { lifecycle } = open();
    const seen: string[] = [];
    for (const name of ["first", "second", "third"]) {
      lifecycle.onStop(name, 1_000, async () => {
        seen.push(`${name} begins`);
        await Promise.resolve();
        seen.push(`${name} ends`);
      });
    }
    await lifecycle.stop();
    expect(seen).toEqual(["third begins", "third ends", "second begins", "second ends", "first begins", "first ends"]);
  });

  it("goes on without what does not close in time, and says so", async () => {
    const { lifecycle, errors } = open();
    const closed = vi.fn();
    lifecycle.onStop("good", 1_000, closed);
    lifecycle.onStop("hanging", 300, () => new Promise(() => {}));
    const stopped = lifecycle.stop();
    await vi.advanceTimersByTimeAsync(299);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(closed).toHaveBeenCalledTimes(1);
    expect(errors).toEqual([[{ name: "hanging", deadlineMs: 300 }, expect.stringContaining("took too long")]]);
  });

  it.each([
    ["throws", () => expect.fail("broken")],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("goes on when one %s, and says so", async (_what, close) => {
    const { lifecycle, errors } = open();
    const closed = vi.fn();
    lifecycle.onStop("good", 1_000, closed);
    lifecycle.onStop("broken", 1_000, close);
    await lifecycle.stop();
    expect(closed).toHaveBeenCalledTimes(1);
    expect(errors).toEqual([[{ name: "broken", error: expect.stringContaining("broken") }, expect.any(String)]]);
  });

  it("is not harmed by a closer that fails after its time", async () => {
    const { lifecycle, errors } = open();
    const late = Promise.withResolvers<void>();
    lifecycle.onStop("late", 10, () => late.promise);
    const stopped = lifecycle.stop();
    await vi.advanceTimersByTimeAsync(10);
    await stopped;
    late.reject(new Error("too late to matter"));
    await vi.advanceTimersByTimeAsync(0);
    expect(errors).toHaveLength(1);
  });

  it("stops once: who asks again waits for the first", async () => {
    const { lifecycle } = open();
    const close = vi.fn(() => Promise.resolve());
    lifecycle.onStop("a", 100, close);
    const first = lifecycle.stop();
    expect(lifecycle.stop()).toBe(first);
    await first;
    await lifecycle.stop();
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("leaves no timer behind", async () => {
    const { lifecycle } = open();
    lifecycle.onStop("quick", 60_000, () => {});
    await lifecycle.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
