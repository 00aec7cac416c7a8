import type { LimitState } from "../envelope/envelope.ts";
import type { Limit, LimitPlan, RateLimit, SlotLimit } from "../policy/limits.ts";

/**
 * Counts calls against limits, for all gateways that share it.
 *
 * One call is one decision over all its limits, in one step: where one of them
 * refuses, none of them has counted the call.
 */
export interface LimitStore {
  /**
   * Lets a call through or not. At once where the counters are in this process,
   * else as a promise, within a short time of the store's own; what becomes of
   * calls while the counters cannot be reached is the store's stated rule.
   * Never throws, never rejects.
   */
  take(plan: LimitPlan): Taken | Promise<Taken>;
  /**
   * Calls back with limits of which slots may have come back; once too often
   * is allowed, once too rarely is not. Returns a function that ends it.
   */
  onFreed(listener: (limits: readonly SlotLimit[]) => void): () => void;
}

/** `states` are those of the limits in force, after the decision. */
export type Taken =
  | {
      readonly kind: "granted";
      readonly states: readonly LimitState[];
      /** Limits in shadow that would have refused; they did not count the call. */
      readonly exceeded: readonly Limit[];
      /** Unset where no slots are held. */
      readonly lease?: SlotLease;
    }
  | {
      readonly kind: "over-rate";
      /** The one that takes longest. */
      readonly limit: RateLimit;
      /** Whole milliseconds until all rates of the plan would let this call through, if nothing else came. */
      readonly retryAfterMs: number;
      readonly states: readonly LimitState[];
    }
  | {
      readonly kind: "busy";
      /** The first one without a free slot. */
      readonly limit: SlotLimit;
      readonly states: readonly LimitState[];
    };

/** Slots that are held; they come back by themselves when the process that holds them is gone. */
export interface SlotLease {
  /** Gives the slots back; more than once is once. Does not wait, never throws. */
  release(): void;
}
