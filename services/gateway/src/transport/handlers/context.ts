import type { Caller, Door, TraceContext } from "@toolgate/core";

/** What a door knows of a request besides its message. */
export interface RequestContext {
  readonly caller: Caller;
  readonly door: Door;
  readonly trace: TraceContext;
  /** On the monotonic clock. */
  readonly receivedAt: number;
  readonly deadlineAt?: number;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}
