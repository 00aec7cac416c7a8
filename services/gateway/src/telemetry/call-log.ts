import type { CallObserver } from "@toolgate/core";
import type { Logger } from "pino";

/** One line for each call: at debug, or at error with the cause where the gateway itself failed. */
export function callLog(log: Logger): CallObserver {
  return {
    started() {},
    ended({ call, entry, envelope, cause }) {
      const code = envelope.status === "error" ? envelope.error.code : undefined;
      if (code !== "INTERNAL" && !log.isLevelEnabled("debug")) return;
      const { callId, latencyMs, backendMs, attempts } = envelope.meta;
      const fields = {
        callId,
        tool: entry?.tool.name,
        caller: call.caller.id,
        status: envelope.status,
        code,
        latencyMs,
        backendMs,
        attempts,
      };
      if (code === "INTERNAL") log.error({ ...fields, cause }, "a call failed inside the gateway");
      else log.debug({ ...fields, cause: cause === undefined ? undefined : String(cause) }, "call");
    },
  };
}

/** Tells those observers that there are; one that throws keeps the others from nothing. */
export function allObservers(
  given: readonly (CallObserver | undefined)[],
  onError: (error: unknown) => void,
): CallObserver {
  const observers = given.filter((observer) => observer !== undefined);
  const each = (tell: (observer: CallObserver) => void) => {
    for (const observer of observers) {
      try {
        tell(observer);
      } catch (error) {
        onError(error);
      }
    }
  };
  return {
    started: (call) => each((observer) => observer.started(call)),
    ended: (ending) => each((observer) => observer.ended(ending)),
  };
}
