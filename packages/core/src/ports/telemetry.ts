import type { Call } from "../call/call.ts";
import type { Envelope } from "../envelope/envelope.ts";
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
