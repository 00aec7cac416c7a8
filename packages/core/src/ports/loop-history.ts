import type { Loop, PastCall } from "../policy/loops.ts";

/**
 * The last calls of each session, for the loop guard. Sessions are bounded in
 * number, in calls and in time; which calls it forgets first is its own affair.
 */
export interface LoopHistory {
  /**
   * Adds a call to the end of a session. Calls of one session that come at the
   * same time are added one after the other, each seeing those before it.
   * Rejects only where the history cannot be reached, within its own short bound.
   */
  begin(session: string, call: Omit<PastCall, "result">): BegunCall | Promise<BegunCall>;
}

export interface BegunCall {
  /** The session's calls, oldest first, this one last. Does not change. */
  readonly calls: readonly PastCall[];
  /**
   * How the call ended: `"not-run"` takes it out of the session again, as if it
   * had never been made. Called once. Never throws, never waits.
   */
  end(ending: "not-run" | Pick<PastCall, "result">): void;
}

/** Hears of loops. Must not throw, must not wait. */
export interface LoopObserver {
  found(loop: Loop, tool: string): void;
  /** The history could not be asked, so a call went on unguarded. */
  unguarded(error: unknown, callId: string): void;
}
