import { describe, expect, it } from "vitest";
import type { BenchResult, CallRow } from "./result.ts";
import { targetResults } from "./targets.ts";

const row = (parts: Partial<CallRow>): CallRow => ({
  server: "gateway",
  encoding: "gRPC JSON text",
  tool: "bench_get",
  callsPerSecond: 2_000,
  cpuPerCall: 300,
  timesForwarder: 1.2,
  p50Ms: 1,
  p99Ms: 2,
  ...parts,
});

const figures = (calls: CallRow[], more: Partial<BenchResult> = {}): Omit<BenchResult, "targets"> => ({
  machine: { node: "24", cpu: "a CPU", cores: 2, neighbours: 0 },
  load: "h2load",
  rounds: 1,
  calls,
  catalogue: { registering: { tools: 1, seconds: 1, cpuMs: 1 }, listings: [], memory: [] },
  starts: [{ files: 100, how: "as a test", readyMs: 900, each: [900], cpuMs: 900 }],
  quickstartMiB: 140,
  underLoad: [],
  ...more,
});

describe("targetResults", () => {
  const http = row({ encoding: "HTTP JSON", callsPerSecond: 1_200 });

  it("meets them all", () => {
    const results = targetResults(figures([row({}), http]));
    expect(results.filter(({ met }) => !met)).toEqual([]);
    expect(results).toHaveLength(5);
  });

  it("goes by the slowest row of a door, and by each row's own forwarder", () => {
    const slow = row({ tool: "bench_post", callsPerSecond: 1_400, timesForwarder: 1.3 });
    const missed = targetResults(figures([row({}), slow, http])).filter(({ met }) => !met);
    expect(missed.map(({ measured }) => measured)).toEqual(["1.30 times", "1,400 in the slowest row"]);
  });

  it("misses what has no number", () => {
    const results = targetResults(figures([row({ timesForwarder: Number.NaN }), http], { quickstartMiB: Number.NaN }));
    expect(results.filter(({ met }) => !met)).toHaveLength(2);
  });

  it("asks whether memory is flat only after a soak", () => {
    const soak = { seconds: 60, calls: 1, samples: [{ second: 60, rssMiB: 100 }], growthMiBPerMinute: 3 };
    expect(targetResults(figures([row({}), http], { soak })).filter(({ met }) => !met)).toHaveLength(1);
  });
});
