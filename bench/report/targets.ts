import type { BenchResult, CallRow, TargetResult } from "./result.ts";
import { figure } from "./table.ts";

const MOST_TIMES_FORWARDER = 1.25;
const LEAST_GRPC_CALLS = 1_500;
const LEAST_HTTP_CALLS = 1_000;
const MOST_IDLE_MIB = 150;
const MOST_READY_MS = 1_100;
const READY_FILES = 100;
/** Of its size in a minute, in percent. A heap breathes: this much is no leak. Soak for some minutes to tell. */
const MOST_GROWTH_PERCENT = 1;

type Figures = Omit<BenchResult, "targets">;

/** What the project promises, beside what was measured. A soak's promise only where there was one. */
export function targetResults(figures: Figures): TargetResult[] {
  const gateway = figures.calls.filter(({ server }) => server === "gateway");
  const grpc = gateway.filter(({ encoding }) => encoding !== "HTTP JSON");
  const http = gateway.filter(({ encoding }) => encoding === "HTTP JSON");
  return [
    ...grpc.map(ratio),
    throughput("gRPC", grpc, LEAST_GRPC_CALLS),
    throughput("HTTP/JSON", http, LEAST_HTTP_CALLS),
    {
      target: `idle with the quickstart's configuration: at most ${MOST_IDLE_MIB} MiB`,
      measured: `${figure(figures.quickstartMiB)} MiB`,
      met: figures.quickstartMiB <= MOST_IDLE_MIB,
    },
    ...growth(figures),
    ...ready(figures),
  ];
}

function ratio({ tool, encoding, timesForwarder = Number.NaN }: CallRow): TargetResult {
  return {
    target: `${tool}, ${encoding}: at most ${MOST_TIMES_FORWARDER} times the forwarder's CPU a call`,
    measured: `${figure(timesForwarder, 2)} times`,
    met: timesForwarder <= MOST_TIMES_FORWARDER,
  };
}

function throughput(door: string, rows: readonly CallRow[], least: number): TargetResult {
  const slowest = Math.min(...rows.map(({ callsPerSecond }) => callsPerSecond));
  return {
    target: `through ${door}: at least ${figure(least)} calls a second, load generator and backend beside it`,
    measured: `${figure(slowest)} in the slowest row`,
    met: slowest >= least,
  };
}

function growth({ soak }: Figures): TargetResult[] {
  if (soak === undefined) return [];
  const size = soak.samples.at(-1)?.rssMiB ?? Number.NaN;
  const percent = (100 * soak.growthMiBPerMinute) / size;
  return [
    {
      target: `under steady load: memory grows by less than ${MOST_GROWTH_PERCENT} % a minute`,
      measured: `${figure(percent, 2)} % of ${figure(size)} MiB over the second half`,
      met: percent < MOST_GROWTH_PERCENT,
    },
  ];
}

function ready({ starts }: Figures): TargetResult[] {
  return starts
    .filter(({ files, each }) => files === READY_FILES && each.length > 0)
    .map(({ how, readyMs }) => ({
      target: `ready with ${READY_FILES} tool files (${how}): within ${figure(MOST_READY_MS)} ms`,
      measured: `${figure(readyMs)} ms`,
      met: readyMs <= MOST_READY_MS,
    }));
}
