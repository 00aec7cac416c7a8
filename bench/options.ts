import { parseArgs } from "node:util";

/** How much is measured. Every count bounds a loop. */
export interface BenchOptions {
  /** Rounds in which every contender has its turn. */
  readonly rounds: number;
  /** About how long one contender's turn is. */
  readonly roundSeconds: number;
  /** Calls before the first round: what is measured is compiled by then. */
  readonly warmupCalls: number;
  /** Calls of each turn; unset: as many as fit `roundSeconds`. */
  readonly callsPerRound?: number;
  /** Calls of each contender, one at a time. */
  readonly aloneCalls: number;
  /** Tools that are registered over gRPC in the end. */
  readonly tools: number;
  /** Lists that are asked for. */
  readonly lists: number;
  /** Starts of which the median is taken. */
  readonly starts: number;
  /** Numbers of tool files to start with. */
  readonly startFiles: readonly number[];
  /** Seconds of steady load at the end; 0: none. */
  readonly soakSeconds: number;
  /** Whether load comes from Node even where h2load is installed. */
  readonly ownLoad: boolean;
  /** Where the figures go as JSON. */
  readonly json?: string;
}

const FULL: BenchOptions = {
  rounds: 10,
  roundSeconds: 0.5,
  warmupCalls: 6_000,
  aloneCalls: 500,
  tools: 10_000,
  lists: 30,
  starts: 5,
  startFiles: [100, 1_000],
  soakSeconds: 0,
  ownLoad: false,
};

const QUICK: BenchOptions = {
  ...FULL,
  rounds: 2,
  roundSeconds: 0.3,
  warmupCalls: 500,
  aloneCalls: 200,
  tools: 2_000,
  lists: 5,
  starts: 1,
  startFiles: [100],
};

export const USAGE = `Usage: node bench/run.ts [options]

The gateway beside a bare forwarder and a bare echo, in one run; see bench/README.md.

  --quick          a smoke test of under 40 s; its figures say little
  --json FILE      also write the figures as JSON
  --soak SECONDS   at the end, steady load for so long, and the memory every 10 s
  --rounds N       rounds in which every contender has its turn (default: ${FULL.rounds})
  --calls N        calls of each turn (default: what fits half a second)
  --tools N        tools to register (default: ${FULL.tools})
  --starts N       starts of which the median is taken (default: ${FULL.starts})
  --own-load       load from Node, also where h2load is installed
  --help`;

/** @throws TypeError with words for the person who typed, on anything that is not understood. */
export function readOptions(args: readonly string[]): BenchOptions | "help" {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: flag,
      help: flag,
      "own-load": flag,
      json: text,
      soak: text,
      rounds: text,
      calls: text,
      tools: text,
      starts: text,
    },
  });
  if (values.help) return "help";
  const base = values.quick ? QUICK : FULL;
  const number = (name: "soak" | "rounds" | "calls" | "tools" | "starts", otherwise: number, [from, to]: Range) => {
    const written = values[name];
    if (written === undefined) return otherwise;
    const value = Number(written);
    if (Number.isInteger(value) && value >= from && value <= to) return value;
    throw new TypeError(`--${name} must be a whole number from ${from} to ${to}, not ${JSON.stringify(written)}.`);
  };
  const calls = number("calls", 0, [1, 100_000]);
  return {
    ...base,
    rounds: number("rounds", base.rounds, [1, 100]),
    tools: number("tools", base.tools, [1, 100_000]),
    starts: number("starts", base.starts, [1, 100]),
    soakSeconds: number("soak", 0, [0, 86_400]),
    ownLoad: values["own-load"] ?? false,
    ...(calls === 0 ? {} : { callsPerRound: calls, warmupCalls: calls, aloneCalls: calls }),
    ...(values.json === undefined ? {} : { json: values.json }),
  };
}

type Range = readonly [from: number, to: number];
