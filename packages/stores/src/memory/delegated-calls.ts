import type { Clock, DelegatedCall, DelegatedCalls } from "@toolgate/core";

export interface MemoryDelegatedOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** How long a call is remembered, in milliseconds. */
  readonly keepMs: number;
  /** How many are remembered; the oldest goes first. */
  readonly capacity: number;
}

/** Calls that this process handed back. */
export function createMemoryDelegatedCalls({ clock, keepMs, capacity }: MemoryDelegatedOptions): DelegatedCalls {
  /** Oldest first. */
  const calls = new Map<string, { readonly call: DelegatedCall; readonly until: number }>();

  function dropOld(): void {
    const now = clock.monotonic();
    for (const [key, { until }] of calls) {
      if (until > now && calls.size <= capacity) return;
      calls.delete(key);
    }
  }

  return {
    async add(call) {
      const key = keyOf(call.caller, call.callId);
      calls.delete(key);
      calls.set(key, { call, until: clock.monotonic() + keepMs });
      dropOld();
    },
    async take(caller, callId) {
      dropOld();
      const key = keyOf(caller, callId);
      const known = calls.get(key);
      calls.delete(key);
      return known?.call;
    },
  };
}

/** No id of a client holds a NUL. */
function keyOf(caller: string, callId: string): string {
  return `${caller}\0${callId}`;
}
