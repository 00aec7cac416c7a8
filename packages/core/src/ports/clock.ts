/** Time, as an argument. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. For leases and what people read. */
  now(): number;
  /** Milliseconds on a clock that never goes back. For durations and deadlines. */
  monotonic(): number;
  /** Runs `task` once after `ms`, unless cancelled. Does not keep the process alive. */
  schedule(ms: number, task: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** Numbers from 0 (included) to 1 (excluded). */
export type Random = () => number;
