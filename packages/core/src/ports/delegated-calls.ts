/** A call that was handed back to its caller, who may still say how it ended. */
export interface DelegatedCall {
  /** The caller's id: nobody else may report. */
  readonly caller: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly toolset: string;
}

/**
 * Remembers calls that were handed back, for a bounded time and in bounded
 * number, until their outcome is reported. Loses one rather than fail.
 */
export interface DelegatedCalls {
  /** Remembers a call; one of the same caller and id takes the place of the one before. Never rejects. */
  add(call: DelegatedCall): Promise<void>;
  /** Forgets the call and answers it: of several who ask, one gets it. `undefined` where there is none. */
  take(caller: string, callId: string): Promise<DelegatedCall | undefined>;
}
