import { describe, expect, it } from "vitest";
import { createFakeClock, FAKE_START } from "./fake-clock.ts";

describe("createFakeClock", () => {
  it("moves both times, and only when told to", () => {
    const clock = createFakeClock();
    expect([clock.now(), clock.monotonic()]).toEqual([FAKE_START, 0]);
    clock.advance(1_500);
    expect([clock.now(), clock.monotonic()]).toEqual([FAKE_START + 1_500, 1_500]);
    clock.setNow(7);
    clock.advance(1);
    expect([clock.now(), clock.monotonic()]).toEqual([8, 1_501]);
  });

  it("runs due timers in order, each at its own moment", () => {
    const clock = createFakeClock(0);
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.now()]);
    clock.schedule(20, note("late"));
    clock.schedule(10, note("first"));
    clock.schedule(10, note("second"));
    clock.schedule(31, note("never"));
    clock.schedule(5, () => {
      note("repeats")();
      clock.schedule(10, note("again"));
    });
    clock.advance(30);
    expect(ran).toEqual([
      ["repeats", 5],
      ["first", 10],
      ["second", 10],
      ["again", 15],
      ["late", 20],
    ]);
    expect([clock.now(), clock.pending]).toEqual([30, 1]);
  });

  it("runs nothing before its time, or after it was cancelled", () => {
    const clock = createFakeClock(0);
    let runs = 0;
    const timer = clock.schedule(10, () => {
      runs += 1;
    });
    clock.advance(9);
    expect(runs).toBe(0);
    timer.cancel();
    clock.advance(10);
    expect([runs, clock.pending]).toEqual([0, 0]);
  });

  it("lets promises settle between timers when advanced asynchronously", async () => {
    const clock = createFakeClock(0);
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.schedule(ms, resolve));
    const woke: number[] = [];
    const sleeper = (async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(10);
        woke.push(clock.now());
      }
    })();
    await clock.advanceAsync(30);
    expect(woke).toEqual([10, 20, 30]);
    await sleeper;
  });
});
