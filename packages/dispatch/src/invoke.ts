import { type Backend, type Clock, type Reply, ToolgateError } from "@toolgate/core";
import type { AttemptCall } from "./stages/attempt-timeout.ts";

/** The backends by kind. */
export type Backends = ReadonlyMap<string, Backend>;

/** The end of the line: hands the call to the backend of the tool's kind. */
export function invoke(backends: Backends, clock: Clock): (call: AttemptCall) => Promise<Reply> {
  return async (call) => {
    const { tool, instances } = call.entry;
    const backend = tool.backend === undefined ? undefined : backends.get(tool.backend.kind);
    if (backend === undefined) {
      throw new ToolgateError("INTERNAL", "The gateway failed; its log says why under this call_id.", {
        cause: new Error(`No backend of kind "${tool.backend?.kind}" for the tool "${tool.name}"`),
      });
    }
    const { args, argsText, callId, caller, trace, idempotencyKey, timeoutMs, signal, trail } = call;
    const startedAt = clock.monotonic();
    trail.attempts += 1;
    try {
      const reply = await backend.invoke({
        tool,
        instances,
        args,
        callId,
        caller,
        trace,
        timeoutMs,
        signal,
        ...(argsText === undefined ? {} : { argsText }),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
      if (reply.warnings !== undefined) trail.warnings.push(...reply.warnings);
      return reply;
    } finally {
      trail.backendMs += clock.monotonic() - startedAt;
    }
  };
}
