import type { Clock } from "@toolgate/core";

/** A clock on which everything takes `factor` times less time than it should. */
export function fastClock(factor: number): Clock {
  const startedAt = Date.now();
  return {
    now: () => startedAt + (Date.now() - startedAt) * factor,
    monotonic: () => performance.now() * factor,
    schedule(ms, task) {
      const timer = setTimeout(task, ms / factor);
      return { cancel: () => clearTimeout(timer) };
    },
  };
}
