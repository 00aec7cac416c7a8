import type { Contender } from "../calls/contender.ts";
import { baselineOf } from "../calls/line-up.ts";
import type { Turn, Turns } from "../calls/rounds.ts";
import { lowerQuartile, median } from "../numbers.ts";
import type { CallRow } from "./result.ts";

/** The rows of the comparison, in the order of the turns: CPU as the lower quartile of the rounds, the rest as the median. */
export function callRows(turns: Turns, alone: ReadonlyMap<Contender, Turn>): CallRow[] {
  const all = [...turns.keys()];
  return all.map((contender) => {
    const own = turns.get(contender) ?? [];
    const middle = (of: (turn: Turn) => number) => median(own.map(of));
    const baseline = contender.server === "gateway" ? turns.get(baselineOf(contender, all) as Contender) : undefined;
    const cpuPerCall = cpuOf(own);
    const aloneP50Ms = alone.get(contender)?.p50Ms;
    return {
      server: contender.server,
      encoding: contender.encoding,
      tool: contender.tool.name,
      callsPerSecond: middle((turn) => turn.callsPerSecond),
      cpuPerCall,
      ...(baseline === undefined ? {} : { timesForwarder: cpuPerCall / cpuOf(baseline) }),
      p50Ms: middle((turn) => turn.p50Ms),
      p99Ms: middle((turn) => turn.p99Ms),
      ...(aloneP50Ms === undefined ? {} : { aloneP50Ms }),
    };
  });
}

function cpuOf(turns: readonly Turn[]): number {
  return lowerQuartile(turns.map(({ cpuPerCall }) => cpuPerCall));
}
