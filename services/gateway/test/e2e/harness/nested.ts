import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Field numbers in toolgate/v1/gateway_service.proto and google/protobuf/struct.proto. */
const CALL_TOOL = 1;
const CALL_ARGUMENTS = 4;
const STRUCT_FIELDS = 1;
const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;
const VALUE_STRUCT = 5;

/** A CallRequest as bytes whose Struct is nested this deep: deeper than a library would write. */
export function deepStructCall(tool: string, levels: number): Buffer {
  let size = 0;
  const inside: Uint8Array[] = [];
  for (let level = 0; level < levels; level++) {
    // From the inside out: only the lengths grow, so nothing is copied.
    const value = header(VALUE_STRUCT, size);
    const entry = Buffer.concat([field(ENTRY_KEY, "a"), header(ENTRY_VALUE, value.length + size), value]);
    const struct = Buffer.concat([header(STRUCT_FIELDS, entry.length + size), entry]);
    inside.push(struct);
    size += struct.length;
  }
  return Buffer.concat([field(CALL_TOOL, tool), header(CALL_ARGUMENTS, size), ...inside.reverse()]);
}

/** JSON text of an object that is nested this deep. */
export function deepJson(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

function header(number: number, size: number): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(size).finish();
}

function field(number: number, text: string): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).string(text).finish();
}
