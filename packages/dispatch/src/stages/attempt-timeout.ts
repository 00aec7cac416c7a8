import { type Clock, type ReadyCall, type Reply, ToolgateError } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** A call with the time that its next attempt has. */
export interface AttemptCall extends ReadyCall {
  readonly timeoutMs: number;
}

/**
 * Bounds one attempt by the tool's timeout and by what the caller's deadline
 * leaves, whichever is shorter. The backend's signal aborts with a
 * `TimeoutError` then, and with the caller's own reason when the caller goes.
 */
export function attemptTimeout(clock: Clock): Stage<ReadyCall, Reply, AttemptCall, Reply> {
  return {
    name: "attempt-timeout",
    async run(call, next) {
      const left = call.deadlineAt === undefined ? Number.POSITIVE_INFINITY : call.deadlineAt - clock.monotonic();
      const timeoutMs = Math.min(call.entry.tool.timeoutMs, left);
      if (call.signal.aborted) throw gone();
      if (timeoutMs <= 0) throw tooLate(call);
      const attempt = new AbortController();
      const timer = clock.schedule(timeoutMs, () =>
        attempt.abort(new DOMException("The attempt took too long", "TimeoutError")),
      );
      const forward = () => attempt.abort(call.signal.reason);
      call.signal.addEventListener("abort", forward, { once: true });
      try {
        return await next({ ...call, timeoutMs, signal: attempt.signal });
      } finally {
        timer.cancel();
        call.signal.removeEventListener("abort", forward);
      }
    },
  };
}

function gone(): ToolgateError {
  return new ToolgateError(
    "CANCELLED",
    "The caller went away before the call was sent; the backend was not reached for.",
  );
}

function tooLate(call: ReadyCall): ToolgateError {
  return new ToolgateError(
    "BACKEND_UNREACHABLE",
    `The caller's deadline passed before "${call.entry.tool.name}" could be called; the backend was not reached for.`,
    { retryable: true },
  );
}
