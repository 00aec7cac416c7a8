import type { Contender } from "../calls/contender.ts";
import { baselineOf } from "../calls/line-up.ts";
import type { Turn, Turns } from "../calls/rounds.ts";
import { median } from "../numbers.ts";
import type { CallRow } from "./result.ts";

/** The rows of the comparison, in the order of the turns. */
export function callRows(turns: Turns, alone: ReadonlyMap<Contender, Turn>): CallRow[] {
  const all = [...turns.keys()];
  return all.map((contender) => {
    const own = turns.get(contender) ?? [];
    const middle = (of: (turn: Turn) => number) => median(own.map(of));
    const baseline = contender.server === "gateway" ? turns.get(baselineOf(contender, all) as Contender) : undefined;
    const ratios = own.map((turn, round) => turn.cpuPerCall / (baseline?.[round]?.cpuPerCall ?? Number.NaN));
    const aloneP50Ms = alone.get(contender)?.p50Ms;
    return {
      server: contender.server,
      encoding: contender.encoding,
      tool: contender.tool.name,
      callsPerSecond: middle((turn) => turn.callsPerSecond),
      cpuPerCall: middle((turn) => turn.cpuPerCall),
      ...(baseline === undefined ? {} : { timesForwarder: median(ratios) }),
      p50Ms: middle((turn) => turn.p50Ms),
      p99Ms: middle((turn) => turn.p99Ms),
      ...(aloneP50Ms === undefined ? {} : { aloneP50Ms }),
    };
  });
}
