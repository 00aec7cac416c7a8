import { randomUUID } from "node:crypto";
import type { CallRequest, CallResponse } from "@toolgate/contract";
import type { Dispatcher } from "@toolgate/dispatch";
import { callFromMessage } from "../convert/call.ts";
import { envelopeToMessage } from "../convert/envelope.ts";
import type { RequestContext } from "./context.ts";

/** Call: always an envelope. */
export function callHandler(dispatcher: Dispatcher) {
  return async (request: CallRequest, context: RequestContext): Promise<CallResponse> => {
    const { call, problem } = callFromMessage(request, { ...context, newCallId: randomUUID });
    const envelope = await dispatcher.call(problem === undefined ? call : { ...call, problem });
    return { $typeName: "toolgate.v1.CallResponse", envelope: envelopeToMessage(envelope, call.input.encoding) };
  };
}
