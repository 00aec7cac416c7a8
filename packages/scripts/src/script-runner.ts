import {
  DEFAULT_SCRIPT_TIMEOUT_MS,
  type Script,
  type ScriptFault,
  type ScriptLanguage,
  type ScriptRunner,
} from "@toolgate/core";
import type { Job } from "./job.ts";
import { workerFile } from "./worker-files.ts";
import { type PoolBounds, WorkerPool } from "./worker-pool.ts";

const BOUNDS: PoolBounds = { workers: 4, workersOfOne: 2, waiting: 256, waitingOfOne: 128, maxWaitMs: 5_000 };
const NEVER = new AbortController().signal;

export interface ScriptRunnerOptions {
  readonly bounds?: Partial<PoolBounds>;
  /** Hears of what went wrong with an interpreter itself. */
  readonly onError?: (error: unknown) => void;
}

export interface OpenScriptRunner extends ScriptRunner {
  /** Ends all workers, whatever they do. */
  close(): Promise<void>;
}

/** Runs scripts in worker threads, a pool of them for each language that is used. */
export function createScriptRunner(options: ScriptRunnerOptions = {}): OpenScriptRunner {
  const bounds = { ...BOUNDS, ...options.bounds };
  const pools = new Map<ScriptLanguage, WorkerPool>();
  const poolOf = (language: ScriptLanguage): WorkerPool => {
    const pool = pools.get(language) ?? new WorkerPool(workerFile(language), bounds);
    pools.set(language, pool);
    return pool;
  };
  const run = async ({ language, source }: Script, job: Omit<Job, "source">, signal: AbortSignal) => {
    const result = await poolOf(language).run({ source, ...job }, signal);
    if (result.kind === "fault" && result.fault.kind === "broken") options.onError?.(result.fault.cause);
    return result;
  };
  return {
    async check(script): Promise<ScriptFault | undefined> {
      const result = await run(script, { timeoutMs: DEFAULT_SCRIPT_TIMEOUT_MS, maxBytes: 0 }, NEVER);
      return result.kind === "fault" ? result.fault : undefined;
    },
    run: (script, input, { signal, ...bounds }) => run(script, { input, ...bounds }, signal),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
