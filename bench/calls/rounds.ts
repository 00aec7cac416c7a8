import type { LoadGenerator, LoadJob } from "../load/load.ts";
import { percentile } from "../numbers.ts";
import type { BenchOptions } from "../options.ts";
import { cpuMs } from "../process/accounting.ts";
import type { RunningServer } from "../servers/start.ts";
import { type Contender, nameOf } from "./contender.ts";

/** What one turn of one contender came to. */
export interface Turn {
  readonly callsPerSecond: number;
  /** Of the contender's own process, in microseconds. */
  readonly cpuPerCall: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Arena {
  readonly contenders: readonly Contender[];
  readonly backend: RunningServer;
  readonly generator: LoadGenerator;
}

/** Turns of each contender, in the order of the rounds. */
export type Turns = ReadonlyMap<Contender, readonly Turn[]>;

/** 100 calls under way, as from a handful of busy agents. HTTP/1.1 needs a connection for each: 50 then. */
const GRPC_LOAD = { connections: 4, perConnection: 25 };
const HTTP_LOAD = { connections: 50, perConnection: 1 };
const MIN_CALLS = 200;
const MAX_CALLS = 50_000;

/** Everyone's turn, round after round, so that whatever else the machine does hits all alike. */
export async function sideBySide(arena: Arena, options: BenchOptions, afterRound: () => void): Promise<Turns> {
  const turns = new Map<Contender, Turn[]>();
  const calls = new Map<Contender, number>();
  for (const contender of arena.contenders) {
    const { callsPerSecond } = await takeTurn(arena, contender, options.warmupCalls);
    const fitting = Math.round(callsPerSecond * options.roundSeconds);
    calls.set(contender, options.callsPerRound ?? Math.min(MAX_CALLS, Math.max(MIN_CALLS, fitting)));
    turns.set(contender, []);
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const contender of arena.contenders) {
      turns.get(contender)?.push(await takeTurn(arena, contender, calls.get(contender) as number));
    }
    afterRound();
  }
  return turns;
}

/** One call at a time: what a call takes when nothing waits. */
export function alone(arena: Arena, contender: Contender, calls: number): Promise<Turn> {
  return measure(arena, contender, { target: contender.target, calls, connections: 1, perConnection: 1 });
}

/** One turn under the usual load; throws where a call fails. */
export function takeTurn(arena: Arena, contender: Contender, calls: number): Promise<Turn> {
  const load = contender.target.kind === "grpc" ? GRPC_LOAD : HTTP_LOAD;
  return measure(arena, contender, { target: contender.target, calls, ...load });
}

async function measure({ backend, generator }: Arena, contender: Contender, job: LoadJob): Promise<Turn> {
  const answeredBefore = await answered(backend);
  const cpuBefore = cpuMs(contender.pid);
  const { seconds, latenciesMs, failed } = await generator.run(job);
  const cpu = cpuMs(contender.pid) - cpuBefore;
  const reached = (await answered(backend)) - answeredBefore;
  const expected = contender.server === "echo" ? 0 : job.calls;
  if (failed > 0 || reached !== expected) {
    const what = `${failed} of ${job.calls} calls failed, ${reached} reached the backend`;
    throw new Error(`${nameOf(contender)}: ${what} where ${expected} should have. What fails is not worth measuring.`);
  }
  return {
    callsPerSecond: job.calls / seconds,
    cpuPerCall: (cpu * 1000) / job.calls,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

function answered({ child }: RunningServer): Promise<number> {
  const answer = child.message<number>();
  child.process.send("count");
  return answer;
}
