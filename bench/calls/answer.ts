import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { type CallRequest, type CallResponse, CallResponseSchema } from "@toolgate/contract";

/** A success with this JSON text of an object, in the encoding that the arguments came in. */
export function answerOf({ target, input }: CallRequest, text: string): CallResponse {
  const payload =
    input.case === "argumentsJson"
      ? { case: "dataJson" as const, value: text }
      : {
          case: "data" as const,
          value: create(ValueSchema, { kind: { case: "structValue", value: JSON.parse(text) } }),
        };
  return create(CallResponseSchema, { envelope: { status: "success", tool: target.value ?? "", payload } });
}
