import type { ScriptResult } from "@toolgate/core";

/** What a worker is asked to do. */
export interface Job {
  readonly source: string;
  /** JSON text for `transform`; unset: the script is only read, and its function looked for. */
  readonly input?: string;
  readonly timeoutMs: number;
  /** Largest result, in bytes of JSON text. */
  readonly maxBytes: number;
}

/** What a worker says: that it can take a job, or what became of the one it took. */
export type WorkerMessage = { readonly kind: "ready" } | { readonly kind: "done"; readonly result: ScriptResult };

/** An interpreter. One job at a time; nothing of a job is left for the next. */
export interface Engine {
  run(job: Job): ScriptResult;
  /** No further job may be given to it. */
  readonly isSpent: boolean;
}
