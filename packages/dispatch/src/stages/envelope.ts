import {
  type Call,
  type Clock,
  type Envelope,
  fail,
  type Outcome,
  ok,
  type ToolEntry,
  ToolgateError,
} from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** An envelope, with what only the observers may see. */
export interface Sealed {
  readonly envelope: Envelope;
  readonly entry: ToolEntry | undefined;
  readonly cause?: unknown;
}

/** Lets `resolve` tell which tool was found, also when the call fails later. */
export interface Tracked {
  readonly call: Call;
  entry: ToolEntry | undefined;
}

/** Makes the envelope of whatever comes back: a result or anything thrown. */
export function envelope(clock: Clock): Stage<Call, Sealed, Tracked, Outcome> {
  return {
    name: "envelope",
    async run(call, next) {
      const tracked: Tracked = { call, entry: undefined };
      try {
        if (call.problem !== undefined) throw call.problem;
        const outcome = await next(tracked);
        return { envelope: ok(outcome, { ...tracked, now: clock.monotonic() }), entry: tracked.entry };
      } catch (thrown) {
        const error = ToolgateError.from(thrown);
        const sealed = { envelope: fail(error, { ...tracked, now: clock.monotonic() }), entry: tracked.entry };
        return error.cause === undefined ? sealed : { ...sealed, cause: error.cause };
      }
    },
  };
}
