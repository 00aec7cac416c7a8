import { toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type CallMeta,
  CallMetaSchema,
  type CallResponse,
  CallResponseSchema,
  type Envelope,
  EnvelopeSchema,
  LimitStateSchema,
  ToolErrorSchema,
} from "@toolgate/contract";

/**
 * The bytes that `toBinary` makes, for the one message that is sent for every
 * call. The general way lets a new buffer grow in steps for each message and
 * takes about four times as long; this one keeps its buffer. Writing is
 * synchronous, so one writer serves all calls.
 */
const writer = new BinaryWriter();

const RESPONSE = { envelope: tagOf(CallResponseSchema.field.envelope, WireType.LengthDelimited) };

const ENVELOPE = {
  status: tagOf(EnvelopeSchema.field.status, WireType.LengthDelimited),
  tool: tagOf(EnvelopeSchema.field.tool, WireType.LengthDelimited),
  data: tagOf(EnvelopeSchema.field.data, WireType.LengthDelimited),
  dataJson: tagOf(EnvelopeSchema.field.dataJson, WireType.LengthDelimited),
  error: tagOf(EnvelopeSchema.field.error, WireType.LengthDelimited),
  meta: tagOf(EnvelopeSchema.field.meta, WireType.LengthDelimited),
};

const META = {
  callId: tagOf(CallMetaSchema.field.callId, WireType.LengthDelimited),
  latencyMs: tagOf(CallMetaSchema.field.latencyMs, WireType.Bit64),
  queueMs: tagOf(CallMetaSchema.field.queueMs, WireType.Bit64),
  backendMs: tagOf(CallMetaSchema.field.backendMs, WireType.Bit64),
  cached: tagOf(CallMetaSchema.field.cached, WireType.Varint),
  attempts: tagOf(CallMetaSchema.field.attempts, WireType.Varint),
  toolset: tagOf(CallMetaSchema.field.toolset, WireType.LengthDelimited),
  backend: tagOf(CallMetaSchema.field.backend, WireType.LengthDelimited),
  warnings: tagOf(CallMetaSchema.field.warnings, WireType.LengthDelimited),
  truncated: tagOf(CallMetaSchema.field.truncated, WireType.Varint),
  limits: tagOf(CallMetaSchema.field.limits, WireType.LengthDelimited),
  cacheAgeMs: tagOf(CallMetaSchema.field.cacheAgeMs, WireType.Varint),
};

function tagOf({ number }: { readonly number: number }, wireType: WireType): number {
  return (number << 3) | wireType;
}

export function encodeCallResponse({ envelope }: CallResponse): Buffer {
  if (envelope !== undefined) {
    writer.uint32(RESPONSE.envelope).fork();
    writeEnvelope(envelope);
    writer.join();
  }
  const bytes = writer.finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function writeEnvelope({ status, tool, payload, error, meta }: Envelope): void {
  writeText(ENVELOPE.status, status);
  writeText(ENVELOPE.tool, tool);
  if (payload.case === "dataJson") writer.uint32(ENVELOPE.dataJson).string(payload.value);
  if (payload.case === "data") writer.uint32(ENVELOPE.data).bytes(toBinary(ValueSchema, payload.value));
  if (error !== undefined) writer.uint32(ENVELOPE.error).bytes(toBinary(ToolErrorSchema, error));
  if (meta === undefined) return;
  writer.uint32(ENVELOPE.meta).fork();
  writeMeta(meta);
  writer.join();
}

function writeMeta(meta: CallMeta): void {
  writeText(META.callId, meta.callId);
  writeDouble(META.latencyMs, meta.latencyMs);
  writeDouble(META.queueMs, meta.queueMs);
  writeDouble(META.backendMs, meta.backendMs);
  if (meta.cached) writer.uint32(META.cached).bool(true);
  if (meta.attempts !== 0) writer.uint32(META.attempts).uint32(meta.attempts);
  writeText(META.toolset, meta.toolset);
  writeText(META.backend, meta.backend);
  for (const warning of meta.warnings) writer.uint32(META.warnings).string(warning);
  if (meta.truncated) writer.uint32(META.truncated).bool(true);
  for (const limit of meta.limits) writer.uint32(META.limits).bytes(toBinary(LimitStateSchema, limit));
  if (meta.cacheAgeMs !== undefined) writer.uint32(META.cacheAgeMs).uint32(meta.cacheAgeMs);
}

function writeText(tag: number, value: string): void {
  if (value !== "") writer.uint32(tag).string(value);
}

function writeDouble(tag: number, value: number): void {
  // Minus zero is not the default: it has a bit of its own.
  if (value !== 0 || Object.is(value, -0)) writer.uint32(tag).double(value);
}
