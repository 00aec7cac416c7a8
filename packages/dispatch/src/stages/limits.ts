import {
  type Clock,
  durationInWords,
  type LimitObserver,
  type LimitPlan,
  LimitPlans,
  type LimitRules,
  type LimitStore,
  type Outcome,
  type RateLimit,
  type ReadyCall,
  type Taken,
  ToolgateError,
} from "@toolgate/core";
import { type Decided, WaitingRoom } from "../limits/waiting-room.ts";
import type { Stage } from "../stage.ts";

export interface LimitPorts {
  readonly rules: LimitRules;
  readonly store: LimitStore;
  readonly observer: LimitObserver;
}

/** When a slot comes free is not known: this only keeps callers from asking again at once. */
const OVERLOADED_RETRY_MS = 1_000;

/**
 * Holds a call to the limits of all levels at once. Where one refuses, none
 * has counted it. Rates refuse at once; for slots calls wait in a queue, and
 * nothing of that time is execution time.
 */
export function limits({ rules, store, observer }: LimitPorts, clock: Clock): Stage<ReadyCall, Outcome> {
  const plans = new LimitPlans(rules);
  const room = new WaitingRoom({ store, clock, observer });

  function decide(call: ReadyCall, plan: LimitPlan): Decided | Promise<Decided> {
    const awaited = room.awaited(plan);
    if (awaited !== undefined) return room.wait(call, plan, awaited);
    const orWait = (taken: Taken) => (taken.kind === "busy" ? room.wait(call, plan, taken) : taken);
    const taken = store.take(plan);
    return taken instanceof Promise ? taken.then(orWait) : orWait(taken);
  }

  async function within(call: ReadyCall, plan: LimitPlan, next: (call: ReadyCall) => Promise<Outcome>) {
    if (call.signal.aborted) throw gone();
    const decision = decide(call, plan);
    const decided = decision instanceof Promise ? await decision : decision;
    if (decided.kind === "gone") throw gone();
    call.trail.limits.push(...decided.states);
    if (decided.kind !== "granted") {
      observer.decided({ call, plan, refusedBy: decided.limit, exceeded: [] });
      throw refusal(decided);
    }
    try {
      observer.decided({ call, plan, exceeded: decided.exceeded });
      return await next(call);
    } finally {
      decided.lease?.release();
    }
  }

  return {
    name: "limits",
    run(call, next) {
      const plan = plans.for(call.entry.tool, call.caller);
      return plan === undefined ? next(call) : within(call, plan, next);
    },
  };
}

function refusal(decided: Extract<Decided, { kind: "over-rate" | "overloaded" }>): ToolgateError {
  if (decided.kind === "overloaded") {
    return new ToolgateError("OVERLOADED", `${decided.reason} Try again later.`, { retryAfterMs: OVERLOADED_RETRY_MS });
  }
  const { limit, retryAfterMs } = decided;
  const wait = durationInWords(retryAfterMs < 1_000 ? retryAfterMs : Math.ceil(retryAfterMs / 100) * 100);
  return new ToolgateError("RATE_LIMITED", `The limit ${inWords(limit)} is used up. Try again in ${wait}.`, {
    retryAfterMs,
  });
}

function inWords({ name, calls, windowMs }: RateLimit): string {
  return `"${name}" (${calls} ${calls === 1 ? "call" : "calls"} in ${durationInWords(windowMs)})`;
}

/** The caller is not there any more to read it. */
function gone(): ToolgateError {
  return new ToolgateError("CANCELLED", "The caller went away before its turn; the backend was not reached for.");
}
