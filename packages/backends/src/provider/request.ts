import { create, toBinary } from "@bufbuild/protobuf";
import { InvokeRequestSchema } from "@toolgate/contract";
import { type Invocation, stringifyJson } from "@toolgate/core";
import { bufferOf } from "../grpc-channel/index.ts";

/** The request for one run of a tool. Its arguments go as text, so that no digit of a number is lost. */
export function encodeInvoke({ tool, args, argsText, callId, idempotencyKey, caller }: Invocation): Buffer {
  const request = create(InvokeRequestSchema, {
    tool: tool.name,
    input: { case: "argumentsJson", value: argsText ?? stringifyJson(args) },
    callId,
    idempotencyKey: idempotencyKey ?? "",
    caller: caller.id,
  });
  return bufferOf(toBinary(InvokeRequestSchema, request));
}
