import { describe, expect, it } from "vitest";
import { readLog } from "./h2load.ts";

describe("readLog", () => {
  it("reads starts, states and durations, in whatever order they ended", () => {
    const log = "1000000\t200\t3000\n1000500\t200\t1000\n1002000\t200\t2500\n";
    const { seconds, latenciesMs, failed } = readLog(log, 3);
    expect(seconds).toBeCloseTo(0.0045);
    expect([...Array.from(latenciesMs)]).toEqual([1, 2.5, 3]);
    expect(failed).toBe(0);
  });

  it("counts as failed what has another status, and what is not there at all", () => {
    expect(readLog("1000000\t200\t3000\n1000500\t503\t1000\n1000500\t-1\t0\n", 5).failed).toBe(4);
    expect(readLog("", 2).failed).toBe(2);
  });
});
