import {
  afterCall,
  type Clock,
  callsLeft,
  type Limit,
  type LimitPlan,
  type LimitState,
  type LimitStore,
  type RateLimit,
  type SlotLease,
  type SlotLimit,
  type Taken,
  waitUs,
  wholeMs,
} from "@toolgate/core";

export interface MemoryLimitsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Rate limits that are remembered at most; beyond, the ones counted first are forgotten. 100,000 where unset. */
  readonly maxCounters?: number;
}

const MAX_COUNTERS = 100_000;
/** Looking for what can be forgotten is not worth it below this. */
const FIRST_SWEEP = 1_024;
/** The largest number of the messages that carry it. */
const MAX_RESET_MS = 0xffff_ffff;

/** The limits of one process: exact, and decided at once. A limit that is whole again takes no memory. */
export function createMemoryLimitStore(options: MemoryLimitsOptions): LimitStore {
  return new MemoryLimitStore(options);
}

type FreedListener = (limits: readonly SlotLimit[]) => void;

class MemoryLimitStore implements LimitStore {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #maxCounters: number;
  /** When each rate is whole again, in microseconds on the monotonic clock. */
  readonly #wholeAt = new Map<string, number>();
  #sweepAt = FIRST_SWEEP;
  /** Slots in use; only of limits of which some are. */
  readonly #used = new Map<string, number>();
  readonly #listeners = new Set<FreedListener>();

  constructor({ clock, maxCounters = MAX_COUNTERS }: MemoryLimitsOptions) {
    this.#clock = clock;
    this.#maxCounters = maxCounters;
  }

  take(plan: LimitPlan): Taken {
    const now = Math.floor(this.#clock.monotonic() * 1000);
    return this.#refusal(plan, now) ?? this.#grant(plan, now);
  }

  onFreed(listener: FreedListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #refusal({ inForce }: LimitPlan, now: number): Taken | undefined {
    let slowest: RateLimit | undefined;
    let wait = 0;
    let busy: SlotLimit | undefined;
    for (const limit of inForce) {
      if (limit.measure === "max_concurrent") {
        if (busy === undefined && this.#isBusy(limit)) busy = limit;
        continue;
      }
      const its = waitUs(limit.rule, this.#wholeAt.get(limit.key) ?? 0, now);
      if (its <= wait) continue;
      wait = its;
      slowest = limit;
    }
    const states = () => this.#states(inForce, now);
    if (slowest !== undefined) {
      return { kind: "over-rate", limit: slowest, retryAfterMs: wholeMs(wait), states: states() };
    }
    return busy === undefined ? undefined : { kind: "busy", limit: busy, states: states() };
  }

  #grant({ inForce, inShadow, slots }: LimitPlan, now: number): Taken {
    for (const limit of inForce) this.#count(limit, now);
    const states = this.#states(inForce, now);
    if (inShadow.length === 0) {
      return slots.length === 0
        ? { kind: "granted", states, exceeded: inShadow }
        : { kind: "granted", states, exceeded: inShadow, lease: this.#lease(slots) };
    }
    const hasRoom = (limit: Limit) =>
      limit.measure === "max_concurrent"
        ? !this.#isBusy(limit)
        : waitUs(limit.rule, this.#wholeAt.get(limit.key) ?? 0, now) === 0;
    const counted = inShadow.filter(hasRoom);
    for (const limit of counted) this.#count(limit, now);
    const exceeded = inShadow.filter((limit) => !counted.includes(limit));
    const held = [...slots, ...counted.filter((limit) => limit.measure === "max_concurrent")];
    return { kind: "granted", states, exceeded, ...(held.length === 0 ? {} : { lease: this.#lease(held) }) };
  }

  #isBusy({ key, slots }: SlotLimit): boolean {
    return (this.#used.get(key) ?? 0) >= slots;
  }

  #count(limit: Limit, now: number): void {
    const { key } = limit;
    if (limit.measure === "max_concurrent") {
      this.#used.set(key, (this.#used.get(key) ?? 0) + 1);
      return;
    }
    const wholeAt = this.#wholeAt.get(key);
    if (wholeAt === undefined) this.#makeRoom(now);
    this.#wholeAt.set(key, afterCall(limit.rule, wholeAt ?? 0, now));
  }

  /** Forgets what says nothing any more. Looks at all of them only when they have doubled, so a call pays next to nothing. */
  #makeRoom(now: number): void {
    const counters = this.#wholeAt;
    if (counters.size < Math.min(this.#sweepAt, this.#maxCounters)) return;
    for (const [key, wholeAt] of counters) if (wholeAt <= now) counters.delete(key);
    for (const key of counters.keys()) {
      if (counters.size < this.#maxCounters) break;
      counters.delete(key);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, counters.size * 2);
  }

  #lease(slots: readonly SlotLimit[]): SlotLease {
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      this.#release(slots);
    };
    return { release };
  }

  #release(slots: readonly SlotLimit[]): void {
    for (const { key } of slots) {
      const used = (this.#used.get(key) ?? 0) - 1;
      if (used > 0) this.#used.set(key, used);
      else this.#used.delete(key);
    }
    for (const listener of this.#listeners) listener(slots);
  }

  #states(limits: readonly Limit[], now: number): LimitState[] {
    return limits.map((limit) => this.#state(limit, now));
  }

  #state(limit: Limit, now: number): LimitState {
    const { name, key } = limit;
    if (limit.measure === "max_concurrent") {
      const remaining = Math.max(0, limit.slots - (this.#used.get(key) ?? 0));
      return { name, limit: limit.slots, remaining, resetMs: 0, windowMs: 0 };
    }
    const wholeAt = this.#wholeAt.get(key) ?? 0;
    const resetMs = Math.min(MAX_RESET_MS, wholeMs(Math.max(0, wholeAt - now)));
    return {
      name,
      limit: limit.calls,
      remaining: callsLeft(limit.rule, wholeAt, now),
      resetMs,
      windowMs: limit.windowMs,
    };
  }
}
