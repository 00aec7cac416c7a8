import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { escapePointer } from "@toolgate/core";

/** Names of the well-known types whose JSON is not an object of their fields, with what it is. */
const OWN_JSON: Readonly<Record<string, string>> = {
  "google.protobuf.Any": 'an object with "@type", of a type that the descriptors hold',
  "google.protobuf.BoolValue": "true or false",
  "google.protobuf.BytesValue": "base64 text",
  "google.protobuf.DoubleValue": "a number",
  "google.protobuf.Duration": 'a duration such as "1.5s"',
  "google.protobuf.FieldMask": 'field names such as "a,b.c"',
  "google.protobuf.FloatValue": "a number",
  "google.protobuf.Int32Value": "an integer (int32)",
  "google.protobuf.Int64Value": "an integer (int64)",
  "google.protobuf.ListValue": "an array",
  "google.protobuf.StringValue": "text",
  "google.protobuf.Struct": "an object",
  "google.protobuf.Timestamp": 'a time such as "2026-01-31T12:00:00Z"',
  "google.protobuf.UInt32Value": "an integer (uint32)",
  "google.protobuf.UInt64Value": "an integer (uint64)",
  "google.protobuf.Value": "any JSON value",
};

export function hasOwnJson({ typeName }: DescMessage): boolean {
  return Object.hasOwn(OWN_JSON, typeName);
}

/** What a field or message takes in JSON, as the end of "expected …". */
export function expectedOf(what: DescMessage | DescField): string {
  if (what.kind === "message") return OWN_JSON[what.typeName] ?? "an object";
  if (what.enum !== undefined) return enumWords(what.enum);
  if (what.message !== undefined) return expectedOf(what.message);
  return what.scalar === undefined ? "another value" : scalarWords(what.scalar);
}

const SHOWN_VALUES = 20;

function enumWords({ values }: DescEnum): string {
  const names = values.map(({ name }) => name);
  return `one of ${names.slice(0, SHOWN_VALUES).join(", ")}${names.length > SHOWN_VALUES ? ", …" : ""}`;
}

function scalarWords(scalar: ScalarType): string {
  switch (scalar) {
    case ScalarType.BOOL:
      return "true or false";
    case ScalarType.STRING:
      return "text";
    case ScalarType.BYTES:
      return "base64 text";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return "a number";
    default:
      return `an integer (${ScalarType[scalar].toLowerCase()})`;
  }
}

/** By either of its names: that of the proto file, or that of JSON. */
export function fieldNamed({ fields }: DescMessage, key: string): DescField | undefined {
  return fields.find(({ name, jsonName }) => name === key || jsonName === key);
}

/** A JSON Pointer (RFC 6901) that leads one step further. */
export function pointer(path: string, key: string): string {
  return `${path}/${escapePointer(key)}`;
}
