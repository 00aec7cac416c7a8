import {
  create,
  createRegistry,
  type FileRegistry,
  fromBinary,
  type JsonValue,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import {
  type Any,
  type Duration,
  DurationSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import type { Metadata } from "@grpc/grpc-js";
import { linkFiles } from "./descriptors/link-files.ts";

/** The part of google/rpc/status.proto and error_details.proto that is read here: field, number, type, repeated. */
const MESSAGES: Readonly<Record<string, readonly (readonly [string, number, string, "repeated"?])[]>> = {
  Status: [
    ["code", 1, "int32"],
    ["message", 2, "string"],
    ["details", 3, ".google.protobuf.Any", "repeated"],
  ],
  RetryInfo: [["retry_delay", 1, ".google.protobuf.Duration"]],
  ErrorInfo: [
    ["reason", 1, "string"],
    ["domain", 2, "string"],
  ],
  BadRequest: [["field_violations", 1, ".google.rpc.FieldViolation", "repeated"]],
  FieldViolation: [
    ["field", 1, "string"],
    ["description", 2, "string"],
    ["reason", 3, "string"],
  ],
  LocalizedMessage: [
    ["locale", 1, "string"],
    ["message", 2, "string"],
  ],
  ResourceInfo: [
    ["resource_type", 1, "string"],
    ["resource_name", 2, "string"],
    ["owner", 3, "string"],
    ["description", 4, "string"],
  ],
};

const KEY = "grpc-status-details-bin";
/** More details than this say nothing more. */
const MAX_DETAILS = 16;

export interface StatusDetails {
  /** As JSON, with "@type"; of types that are not known, only that. */
  readonly list: readonly JsonValue[];
  /** When the service wants to be asked again. */
  readonly retryAfterMs?: number;
}

/** What a status says beyond code and text (google.rpc.Status). Never throws. */
export function statusDetails(metadata: Metadata, types: FileRegistry | undefined): StatusDetails {
  const [bytes] = metadata.get(KEY);
  if (!Buffer.isBuffer(bytes)) return { list: [] };
  try {
    const { rpc, status } = rpcTypes();
    const { details } = fromBinary(status, bytes) as unknown as { details: readonly Any[] };
    const registry = types === undefined ? rpc : createRegistry(types, rpc);
    const wait = details.map((detail) => retryDelayOf(detail, rpc)).find((ms) => ms !== undefined);
    const list = details.slice(0, MAX_DETAILS).map((detail) => jsonOf(detail, registry));
    return wait === undefined ? { list } : { list, retryAfterMs: wait };
  } catch {
    return { list: [] };
  }
}

function jsonOf(detail: Any, registry: Registry): JsonValue {
  const type = typeNameOf(detail);
  const schema = registry.getMessage(type);
  if (schema === undefined) return { "@type": type };
  try {
    const value = toJson(schema, fromBinary(schema, detail.value), { registry });
    return { "@type": type, ...(typeof value === "object" && !Array.isArray(value) ? value : { value }) };
  } catch {
    return { "@type": type };
  }
}

function retryDelayOf(detail: Any, registry: Registry): number | undefined {
  const schema = registry.getMessage("google.rpc.RetryInfo");
  if (schema === undefined || typeNameOf(detail) !== schema.typeName) return undefined;
  const { retryDelay } = fromBinary(schema, detail.value) as unknown as { retryDelay?: Duration };
  const { seconds, nanos } = retryDelay ?? create(DurationSchema);
  return Math.max(0, Number(seconds) * 1000 + nanos / 1_000_000);
}

function typeNameOf({ typeUrl }: Any): string {
  return typeUrl.slice(typeUrl.lastIndexOf("/") + 1).slice(0, 200);
}

let linkedTypes: ReturnType<typeof linkTypes> | undefined;

function rpcTypes() {
  linkedTypes ??= linkTypes();
  return linkedTypes;
}

function linkTypes() {
  const file = create(FileDescriptorProtoSchema, {
    name: "google/rpc/details.proto",
    package: "google.rpc",
    syntax: "proto3",
    dependency: ["google/protobuf/any.proto", "google/protobuf/duration.proto"],
    messageType: Object.entries(MESSAGES).map(([name, fields]) => ({ name, field: fields.map(fieldOf) })),
  });
  const linked = linkFiles([file]);
  const status = linked.ok ? linked.registry.getMessage("google.rpc.Status") : undefined;
  if (!linked.ok || status === undefined) throw new Error("the types of google.rpc do not fit together");
  return { rpc: linked.registry, status };
}

function fieldOf([name, number, type, repeated]: readonly [string, number, string, "repeated"?]) {
  const label = repeated === undefined ? Label.OPTIONAL : Label.REPEATED;
  if (type.startsWith(".")) return { name, number, label, type: Type.MESSAGE, typeName: type };
  return { name, number, label, type: type === "int32" ? Type.INT32 : Type.STRING };
}
