import type { BegunCall, Clock, LoopHistory, PastCall } from "@toolgate/core";

export interface MemoryLoopOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Calls that are kept of a session. */
  readonly calls: number;
  /** Sessions that are kept; beyond that the one that was quiet for longest is forgotten. */
  readonly sessions: number;
  /** How long a quiet session is kept. */
  readonly forgetAfterMs: number;
}

interface Session {
  readonly calls: PastCall[];
  usedAt: number;
}

/** The sessions of one process. */
export function createMemoryLoopHistory(options: MemoryLoopOptions): LoopHistory {
  /** The one that was quiet for longest is first. */
  const sessions = new Map<string, Session>();
  const { clock, forgetAfterMs } = options;

  function forget(now: number): void {
    for (const [key, { usedAt }] of sessions) {
      if (sessions.size <= options.sessions && now - usedAt < forgetAfterMs) return;
      sessions.delete(key);
    }
  }

  return {
    begin(key, begun): BegunCall {
      // One of its own, so that it is found again.
      const call: PastCall = { ...begun };
      const now = clock.monotonic();
      const known = sessions.get(key);
      const session = known !== undefined && now - known.usedAt < forgetAfterMs ? known : { calls: [], usedAt: now };
      session.usedAt = now;
      sessions.delete(key);
      sessions.set(key, session);
      forget(now);
      const { calls } = session;
      calls.push(call);
      if (calls.length > options.calls) calls.shift();
      return {
        calls: calls.slice(),
        end(ending) {
          const place = calls.indexOf(call);
          if (place === -1) return;
          if (ending === "not-run") calls.splice(place, 1);
          else calls[place] = { ...call, ...ending };
        },
      };
    },
  };
}
