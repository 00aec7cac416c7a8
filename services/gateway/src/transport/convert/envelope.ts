import { create, fromJson, type JsonValue as PlainJsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type CallMeta,
  type Envelope as EnvelopeMessage,
  LimitStateSchema,
  type ToolError,
  ToolErrorSchema,
} from "@toolgate/contract";
import {
  type CallInput,
  type Data,
  type Envelope,
  type EnvelopeError,
  type EnvelopeMeta,
  type JsonValue,
  replaceBigInts,
  stringifyJson,
} from "@toolgate/core";

/**
 * An envelope as a message; the result in the encoding in which the arguments
 * came. The messages of every call are written out: `create` takes several
 * times as long.
 */
export function envelopeToMessage(envelope: Envelope, encoding: CallInput["encoding"]): EnvelopeMessage {
  const { status, tool } = envelope;
  const meta = metaToMessage(envelope.meta);
  const common = { $typeName: "toolgate.v1.Envelope", status, tool, meta } as const;
  if (envelope.status === "error")
    return { ...common, payload: { case: undefined }, error: errorToMessage(envelope.error) };
  return { ...common, payload: payloadOf(envelope.data, encoding, meta.warnings) };
}

function metaToMessage(meta: EnvelopeMeta): CallMeta {
  return {
    $typeName: "toolgate.v1.CallMeta",
    callId: meta.callId,
    latencyMs: meta.latencyMs,
    queueMs: meta.queueMs,
    backendMs: meta.backendMs,
    cached: meta.cached,
    attempts: meta.attempts,
    toolset: meta.toolset,
    backend: meta.backend,
    warnings: [...meta.warnings],
    truncated: meta.truncated,
    limits: meta.limits.map((limit) => create(LimitStateSchema, limit)),
    ...(meta.cacheAgeMs === undefined ? {} : { cacheAgeMs: Math.min(meta.cacheAgeMs, MAX_UINT32) }),
  };
}

const MAX_UINT32 = 0xffff_ffff;

function errorToMessage({ violations, nearNames, retryAfterMs, ...rest }: EnvelopeError): ToolError {
  const error = create(ToolErrorSchema, { ...rest, violations: [...violations], nearNames: [...nearNames] });
  if (retryAfterMs !== undefined) error.retryAfterMs = Math.min(retryAfterMs, MAX_UINT32);
  return error;
}

/**
 * Each level of a value is up to three nested messages, and the usual protobuf
 * runtimes read at most 100 of them.
 */
const MAX_VALUE_DEPTH = 30;

function payloadOf(data: Data, encoding: CallInput["encoding"], warnings: string[]): EnvelopeMessage["payload"] {
  if (encoding === "text") return { case: "dataJson", value: dataText(data) };
  if (!fitsValue(data.value, MAX_VALUE_DEPTH)) {
    warnings.push(
      `The result is nested more than ${MAX_VALUE_DEPTH} levels deep or has a number that is none, so it is given as JSON text.`,
    );
    return { case: "dataJson", value: dataText(data) };
  }
  let exact = true;
  const value = replaceBigInts(data.value, (digits) => {
    exact = false;
    return digits.toString();
  });
  if (!exact) warnings.push("Integers beyond 2^53 are given as text here; send arguments_json to get them as numbers.");
  return { case: "data", value: fromJson(ValueSchema, value as PlainJsonValue) };
}

/** Whether a result can be a google.protobuf.Value that every client can read. */
function fitsValue(value: JsonValue, levels: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value !== "object") return true;
  return levels > 0 && Object.values(value).every((part) => fitsValue(part, levels - 1));
}

/** The result as JSON text: the backend's own text where nothing changed it. */
function dataText(data: Data): string {
  return data.text ?? stringifyJson(data.value);
}
