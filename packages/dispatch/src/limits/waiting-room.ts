import {
  type Caller,
  type CallTrail,
  type Clock,
  durationInWords,
  FairQueue,
  type LimitObserver,
  type LimitPlan,
  type LimitState,
  type LimitStore,
  type SlotLimit,
  type Taken,
  type Timer,
} from "@toolgate/core";

export interface WaitingRoomPorts {
  readonly store: LimitStore;
  readonly clock: Clock;
  readonly observer: LimitObserver;
}

/** What a call that waits is known by. */
export interface WaitingCall {
  readonly caller: Caller;
  /** On the monotonic clock. */
  readonly deadlineAt?: number;
  readonly signal: AbortSignal;
  readonly trail: CallTrail;
}

/** What became of a call at its limits. */
export type Decided =
  | Exclude<Taken, { readonly kind: "busy" }>
  | {
      readonly kind: "overloaded";
      readonly limit: SlotLimit;
      /** For the reader: what is busy, and why the call does not wait. */
      readonly reason: string;
      /** As they were when the store was last asked; empty where it was not. */
      readonly states: readonly LimitState[];
    }
  | { readonly kind: "gone" };

/** The limit without a free slot. */
export type Busy = Pick<Extract<Taken, { readonly kind: "busy" }>, "limit" | "states">;

interface Waiter {
  readonly owner: string;
  readonly plan: LimitPlan;
  readonly since: number;
  /** The caller's own deadline; no longer than this is waited, whatever the limit. */
  readonly deadlineAt: number;
  /** The limit that has no room for it. */
  limit: SlotLimit;
  timer: Timer | undefined;
  states: readonly LimitState[];
  readonly settle: (decided: Decided) => void;
}

/**
 * Where calls wait for slots: one queue for each limit that has none, each
 * bounded in length and time, callers served in turn. A call waits at the limit
 * that refused it; nothing is counted or held for it while it waits.
 */
export class WaitingRoom {
  readonly #ports: WaitingRoomPorts;
  readonly #queues = new Map<string, FairQueue<Waiter>>();
  /** Limits whose queues are being served, and whether to look once more. */
  readonly #serving = new Map<string, boolean>();

  constructor(ports: WaitingRoomPorts) {
    this.#ports = ports;
    ports.store.onFreed((limits) => {
      if (this.#queues.size > 0) for (const limit of limits) void this.#serve(limit);
    });
  }

  /** The first limit of the plan that others wait for already: who comes now must not overtake them. */
  awaited({ slots }: LimitPlan): Busy | undefined {
    const limit = this.#queues.size === 0 ? undefined : slots.find(({ key }) => this.#queues.has(key));
    return limit && { limit, states: [] };
  }

  /** Waits until there is a slot, the queue's bounds are reached or the caller goes; adds the time to `trail.queueMs`. */
  async wait(call: WaitingCall, plan: LimitPlan, busy: Busy): Promise<Decided> {
    if (call.signal.aborted) return GONE;
    const { clock } = this.#ports;
    const since = clock.monotonic();
    const { promise, resolve: settle } = Promise.withResolvers<Decided>();
    const { deadlineAt = Number.POSITIVE_INFINITY } = call;
    const waiter: Waiter = { owner: call.caller.id, plan, since, deadlineAt, ...busy, timer: undefined, settle };
    const leave = () => this.#dismiss(waiter, GONE);
    call.signal.addEventListener("abort", leave, { once: true });
    this.#enter(waiter, busy.limit);
    const decided = await promise;
    call.signal.removeEventListener("abort", leave);
    call.trail.queueMs += clock.monotonic() - since;
    return decided;
  }

  #enter(waiter: Waiter, limit: SlotLimit): void {
    const { clock, observer } = this.#ports;
    waiter.limit = limit;
    const queue = this.#queues.get(limit.key) ?? new FairQueue<Waiter>();
    if (!this.#hasRoom(queue, waiter)) {
      waiter.settle(overloaded(waiter, full(limit)));
      return;
    }
    const endsAt = Math.min(waiter.since + limit.queue.maxWaitMs, waiter.deadlineAt);
    const end = () => this.#dismiss(waiter, overloaded(waiter, tooLong(clock.monotonic() - waiter.since)));
    waiter.timer = clock.schedule(endsAt - clock.monotonic(), end);
    queue.add(waiter.owner, waiter);
    this.#queues.set(limit.key, queue);
    observer.waiting(limit, 1);
  }

  /** A caller that fills a queue alone makes way for the others. */
  #hasRoom(queue: FairQueue<Waiter>, { owner, limit }: Waiter): boolean {
    if (queue.size < limit.queue.maxLength) return true;
    const last = queue.makesWayFor(owner);
    if (last === undefined) return false;
    this.#dismiss(last, overloaded(last, full(limit)));
    return true;
  }

  #dismiss(waiter: Waiter, decided: Decided): void {
    if (this.#leave(waiter)) waiter.settle(decided);
  }

  /** Takes it out of its queue; false where it is in none any more. */
  #leave(waiter: Waiter, served = false): boolean {
    if (waiter.timer === undefined) return false;
    waiter.timer.cancel();
    waiter.timer = undefined;
    const { key } = waiter.limit;
    const queue = this.#queues.get(key);
    if (served) queue?.serve(waiter.owner, waiter);
    else queue?.remove(waiter.owner, waiter);
    if (queue?.size === 0) this.#queues.delete(key);
    this.#ports.observer.waiting(waiter.limit, -1);
    return true;
  }

  /** Lets in who is next, as long as there is room. One at a time, so that turns are kept. */
  async #serve(limit: SlotLimit): Promise<void> {
    const { key } = limit;
    if (this.#serving.has(key)) {
      this.#serving.set(key, true);
      return;
    }
    let again = true;
    while (again) {
      this.#serving.set(key, false);
      while (await this.#serveNext(key));
      again = this.#serving.get(key) === true;
    }
    this.#serving.delete(key);
  }

  /** Whether to try the one after it. */
  async #serveNext(key: string): Promise<boolean> {
    const waiter = this.#queues.get(key)?.next;
    if (waiter === undefined) return false;
    const taken = await this.#ports.store.take(waiter.plan);
    if (taken.kind === "busy") {
      waiter.states = taken.states;
      if (taken.limit.key === key) return false;
    }
    const waits = this.#leave(waiter, taken.kind === "granted");
    if (taken.kind === "busy") {
      if (waits) this.#enter(waiter, taken.limit);
    } else if (waits) waiter.settle(taken);
    else if (taken.kind === "granted") taken.lease?.release();
    return true;
  }
}

const GONE: Decided = { kind: "gone" };

function overloaded({ limit, states }: Waiter, why: string): Decided {
  const of = `of the limit "${limit.name}"`;
  const busy = limit.slots === 1 ? `The one slot ${of} is busy` : `All ${limit.slots} slots ${of} are busy`;
  return { kind: "overloaded", limit, states, reason: `${busy}, and ${why}.` };
}

function full({ queue }: SlotLimit): string {
  if (queue.maxLength === 0) return "calls do not wait for it";
  return queue.maxLength === 1 ? "1 call waits already" : `${queue.maxLength} calls wait already`;
}

function tooLong(waitedMs: number): string {
  return `none came free in ${durationInWords(waitedMs)}`;
}
