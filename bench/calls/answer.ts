import { create, fromJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { type CallRequest, type CallResponse, CallResponseSchema, EnvelopeSchema } from "@toolgate/contract";

/** A success with this JSON text, in the encoding that the arguments came in. */
export function answerOf({ target, input }: CallRequest, text: string): CallResponse {
  const payload =
    input.case === "argumentsJson"
      ? { case: "dataJson" as const, value: text }
      : { case: "data" as const, value: fromJson(ValueSchema, JSON.parse(text)) };
  return create(CallResponseSchema, {
    envelope: create(EnvelopeSchema, { status: "success", tool: target.value ?? "", payload }),
  });
}
