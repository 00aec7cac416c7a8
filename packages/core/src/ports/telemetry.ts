import type { Call, ResolvedCall } from "../call/call.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { Limit, LimitPlan, SlotLimit } from "../policy/limits.ts";
import type { ToolEntry } from "../registry/snapshot.ts";

/** Hears of each call. Must not throw, must not wait. */
export interface CallObserver {
  started(call: Call): void;
  /** `entry` is unset where no tool was found; `cause` is what an INTERNAL error hides. */
  ended(ending: CallEnding): void;
}

export interface CallEnding {
  readonly call: Call;
  readonly entry: ToolEntry | undefined;
  readonly envelope: Envelope;
  readonly cause?: unknown;
}

/** Hears what becomes of calls at their limits. Must not throw, must not wait. */
export interface LimitObserver {
  decided(decision: LimitDecision): void;
  /** A call began (1) or ceased (-1) to wait for a slot of this limit. */
  waiting(limit: SlotLimit, change: 1 | -1): void;
}

export interface LimitDecision {
  readonly call: ResolvedCall;
  readonly plan: LimitPlan;
  /** Unset where the call was let through. */
  readonly refusedBy?: Limit;
  /** Limits in shadow that would have refused a call that was let through. */
  readonly exceeded: readonly Limit[];
}

/** Hears of each backend call that was made for several calls of a tool. Must not throw, must not wait. */
export type BatchObserver = (tool: string, calls: number) => void;
