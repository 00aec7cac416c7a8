import type { LimitStore, SlotLease, SlotLimit, Taken } from "@toolgate/core";

export interface SlotStore extends LimitStore {
  /** Slots in use of a limit, by its name. */
  used(name: string): number;
  /** What the next call is told, whatever the slots. */
  next: Taken | undefined;
  /** Whether answers come as promises, as from a store on the network. */
  remote: boolean;
  /** Tells of slots that came back, as another process would. */
  freed(limits: readonly SlotLimit[]): void;
}

/** Counts slots and nothing else; for the rest it says what the test says. */
export function aSlotStore(): SlotStore {
  const used = new Map<string, number>();
  const listeners = new Set<(limits: readonly SlotLimit[]) => void>();
  const take = (slots: readonly SlotLimit[]): Taken => {
    const said = store.next;
    store.next = undefined;
    if (said !== undefined) return said;
    const limit = slots.find(({ name, slots: most }) => store.used(name) >= most);
    if (limit !== undefined) return { kind: "busy", limit, states: [stateOf(limit)] };
    for (const { name } of slots) used.set(name, store.used(name) + 1);
    const states = slots.map(stateOf);
    return { kind: "granted", states, exceeded: [], ...(slots.length === 0 ? {} : { lease: lease(slots) }) };
  };
  const stateOf = ({ name, slots }: SlotLimit) => {
    return { name, limit: slots, remaining: slots - store.used(name), resetMs: 0, windowMs: 0 };
  };
  const lease = (slots: readonly SlotLimit[]): SlotLease => ({
    release() {
      for (const { name } of slots) used.set(name, store.used(name) - 1);
      store.freed(slots);
    },
  });
  const store: SlotStore = {
    next: undefined,
    remote: false,
    used: (name) => used.get(name) ?? 0,
    take: ({ slots }) => (store.remote ? Promise.resolve().then(() => take(slots)) : take(slots)),
    onFreed(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    freed: (limits) => {
      for (const listener of listeners) listener(limits);
    },
  };
  return store;
}
