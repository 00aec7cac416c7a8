import {
  create,
  fromJson,
  type JsonObject as PlainJsonObject,
  type JsonValue as PlainJsonValue,
} from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  CallMetaSchema,
  type Envelope as EnvelopeMessage,
  EnvelopeSchema,
  type ToolError,
  ToolErrorSchema,
} from "@toolgate/contract";
import {
  type CallInput,
  type Data,
  type Envelope,
  type EnvelopeError,
  isJsonObject,
  replaceBigInts,
  stringifyJson,
} from "@toolgate/core";

/** An envelope as a message; the result in the encoding in which the arguments came. */
export function envelopeToMessage(envelope: Envelope, encoding: CallInput["encoding"]): EnvelopeMessage {
  const { status, tool } = envelope;
  const meta = create(CallMetaSchema, {
    ...envelope.meta,
    warnings: [...envelope.meta.warnings],
    limits: [...envelope.meta.limits],
  });
  if (envelope.status === "error")
    return create(EnvelopeSchema, { status, tool, meta, error: errorToMessage(envelope.error) });
  const payload = payloadOf(envelope.data, encoding, meta.warnings);
  return create(EnvelopeSchema, { status, tool, meta, payload });
}

function errorToMessage(error: EnvelopeError): ToolError {
  const { violations, nearNames, ...rest } = error;
  return create(ToolErrorSchema, { ...rest, violations: [...violations], nearNames: [...nearNames] });
}

function payloadOf(data: Data, encoding: CallInput["encoding"], warnings: string[]): EnvelopeMessage["payload"] {
  if (encoding === "text") return { case: "dataJson", value: dataText(data) };
  let exact = true;
  const value = replaceBigInts(data.value, (digits) => {
    exact = false;
    return digits.toString();
  });
  if (!exact) warnings.push("Integers beyond 2^53 are given as text here; send arguments_json to get them as numbers.");
  return { case: "data", value: toValue(value as PlainJsonValue) };
}

function toValue(value: PlainJsonValue): Value {
  // An object needs no conversion: the runtime writes a Struct straight from JSON.
  if (isJsonObject(value))
    return create(ValueSchema, { kind: { case: "structValue", value: value as PlainJsonObject } });
  return fromJson(ValueSchema, value);
}

/** The result as JSON text: the backend's own text where nothing changed it. */
export function dataText(data: Data): string {
  return data.text ?? stringifyJson(data.value);
}
