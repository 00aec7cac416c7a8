import { randomUUID } from "node:crypto";
import type { CallRequest, CallResponse } from "@toolgate/contract";
import { type Clock, fail } from "@toolgate/core";
import type { Dispatcher } from "@toolgate/dispatch";
import { callFromMessage } from "../convert/call.ts";
import { envelopeToMessage } from "../convert/envelope.ts";
import type { RequestContext } from "./context.ts";

/** Call: always an envelope. */
export function callHandler(dispatcher: Dispatcher, clock: Clock) {
  return async (request: CallRequest, context: RequestContext): Promise<CallResponse> => {
    const { call, problem } = callFromMessage(request, { ...context, newCallId: randomUUID });
    const envelope =
      problem === undefined
        ? await dispatcher.call(call)
        : fail(problem, { call, entry: undefined, now: clock.monotonic() });
    return { $typeName: "toolgate.v1.CallResponse", envelope: envelopeToMessage(envelope, call.input.encoding) };
  };
}
