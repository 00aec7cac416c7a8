import {
  type Clock,
  callerGone,
  isRetryable,
  type Random,
  type ReadyCall,
  type Reply,
  RetryBudget,
  type RetrySpec,
  type Tool,
  ToolgateError,
  waitBeforeRetry,
} from "@toolgate/core";
import type { Stage } from "../stage.ts";

export interface RetryPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Tries a failed call again, where its tool asks for that and a second run can do no harm. Ends with the last error when
 * attempts, time or the tool's retry budget are used up.
 */
export function retry({ clock, random }: RetryPorts): Stage<ReadyCall, Reply> {
  const budgets = new WeakMap<Tool, RetryBudget>();
  const budgetOf = (tool: Tool) => {
    const budget = budgets.get(tool) ?? new RetryBudget();
    budgets.set(tool, budget);
    return budget;
  };
  /** How long to wait before the next attempt; throws what was thrown where there is none. */
  const waitAfter = (thrown: unknown, { call, spec, budget, attempts }: Attempted): number => {
    if (!(thrown instanceof ToolgateError) || !isRetryable(call.entry.tool, spec, thrown)) throw thrown;
    if (!budget.failed()) throw thrown;
    const timeLeftMs = (call.deadlineAt ?? Number.POSITIVE_INFINITY) - clock.monotonic();
    const waitMs = waitBeforeRetry(spec, thrown, { attempts, timeLeftMs, random });
    if (waitMs === undefined) throw thrown;
    return waitMs;
  };
  const run = async (call: ReadyCall, spec: RetrySpec, next: (call: ReadyCall) => Promise<Reply>) => {
    const { tool } = call.entry;
    const budget = budgetOf(tool);
    let delivered = false;
    for (let attempts = 1; ; attempts += 1) {
      if (call.signal.aborted) throw callerGone(tool, delivered);
      let waitMs: number;
      try {
        const reply = await next(call);
        budget.succeeded();
        return reply;
      } catch (thrown) {
        waitMs = waitAfter(thrown, { call, spec, budget, attempts });
        delivered ||= (thrown as ToolgateError).code !== "BACKEND_UNREACHABLE";
      }
      await pause(clock, call.signal, waitMs);
    }
  };
  return {
    name: "retry",
    run: (call, next) => (call.entry.tool.retry === undefined ? next(call) : run(call, call.entry.tool.retry, next)),
  };
}

interface Attempted {
  readonly call: ReadyCall;
  readonly spec: RetrySpec;
  readonly budget: RetryBudget;
  /** How many there have been. */
  readonly attempts: number;
}

/** Resolves when the time has passed, or at once when the caller goes. */
function pause(clock: Clock, signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.schedule(ms, end);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
