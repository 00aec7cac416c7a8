import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** What is asked for: the file that declares a symbol, or a file by its name. */
export type ReflectionQuery = { readonly symbol: string } | { readonly file: string };

export type ReflectionAnswer =
  | { readonly ok: true; readonly files: readonly FileDescriptorProto[] }
  | { readonly ok: false; readonly message: string };

// The messages are the same in grpc.reflection.v1 and v1alpha, and of each only a field or two are used.
const FILE_BY_FILENAME = 3;
const FILE_CONTAINING_SYMBOL = 4;
const FILE_DESCRIPTOR_RESPONSE = 4;
const ERROR_RESPONSE = 7;
const DESCRIPTORS = 1;
const ERROR_MESSAGE = 2;
const LENGTH_DELIMITED = 2;

/** A grpc.reflection.v1.ServerReflectionRequest. */
export function encodeQuery(query: ReflectionQuery): Buffer {
  const [field, text] = "symbol" in query ? [FILE_CONTAINING_SYMBOL, query.symbol] : [FILE_BY_FILENAME, query.file];
  return Buffer.from(new BinaryWriter().tag(field, LENGTH_DELIMITED).string(text).finish());
}

/**
 * Reads a grpc.reflection.v1.ServerReflectionResponse.
 *
 * @throws Error where the bytes are none.
 */
export function decodeAnswer(message: Uint8Array): ReflectionAnswer {
  const parts = fieldsOf(message);
  const error = parts.find(({ field }) => field === ERROR_RESPONSE);
  if (error !== undefined) {
    const text = fieldsOf(error.bytes).find(({ field }) => field === ERROR_MESSAGE);
    return { ok: false, message: text === undefined ? "" : Buffer.from(text.bytes).toString("utf8") };
  }
  const response = parts.find(({ field }) => field === FILE_DESCRIPTOR_RESPONSE);
  const files = response === undefined ? [] : fieldsOf(response.bytes).filter(({ field }) => field === DESCRIPTORS);
  return { ok: true, files: files.map(({ bytes }) => fromBinary(FileDescriptorProtoSchema, bytes)) };
}

/** The fields of a message that are texts, bytes or messages. */
function fieldsOf(message: Uint8Array): { readonly field: number; readonly bytes: Uint8Array }[] {
  const reader = new BinaryReader(message);
  const found: { field: number; bytes: Uint8Array }[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === LENGTH_DELIMITED) found.push({ field, bytes: reader.bytes() });
    else reader.skip(type, field);
  }
  return found;
}
