import type { Clock, Timer } from "@toolgate/core";

/** A clock that only moves when a test says so. */
export interface FakeClock extends Clock {
  /**
   * Moves both times on by `ms` and runs what falls due on the way, in order
   * of its time (equal times: as scheduled), each at its own moment. A task
   * that schedules another within reach has that run too.
   */
  advance(ms: number): void;
  /** As {@link advance}, and lets promises settle before it starts and after each task. */
  advanceAsync(ms: number): Promise<void>;
  /** Sets only the time people read, as when an operator corrects it. Timers do not notice. */
  setNow(ms: number): void;
  /** Timers that have neither run nor been cancelled. */
  readonly pending: number;
}

/** Of the platform; declared here so that packages without its types can use this clock. */
declare function setImmediate(task: () => void): unknown;

interface Task {
  readonly dueAt: number;
  readonly run: () => void;
}

/** 2025-01-01T00:00:00Z. */
export const FAKE_START = 1_735_689_600_000;

/**
 * @param start what `now()` says first; `monotonic()` starts at 0, so that
 * whoever mixes them up is found out.
 */
export function createFakeClock(start: number = FAKE_START): FakeClock {
  let offset = start;
  let elapsed = 0;
  const tasks = new Set<Task>();

  /** Runs the first task due by `end`, if there is one. */
  const runNext = (end: number): boolean => {
    let next: Task | undefined;
    for (const task of tasks) {
      if (task.dueAt <= end && (next === undefined || task.dueAt < next.dueAt)) next = task;
    }
    if (next === undefined) return false;
    tasks.delete(next);
    elapsed = Math.max(elapsed, next.dueAt);
    next.run();
    return true;
  };

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    schedule(ms, run): Timer {
      const task = { dueAt: elapsed + Math.max(0, ms), run };
      tasks.add(task);
      return { cancel: () => void tasks.delete(task) };
    },
    advance(ms) {
      const end = elapsed + ms;
      while (runNext(end));
      elapsed = Math.max(elapsed, end);
    },
    async advanceAsync(ms) {
      const end = elapsed + ms;
      do await settle();
      while (runNext(end));
      elapsed = Math.max(elapsed, end);
      await settle();
    },
    setNow(ms) {
      offset = ms - elapsed;
    },
    get pending() {
      return tasks.size;
    },
  };
}

/** Runs every promise reaction that is ready, and those that these make ready. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
