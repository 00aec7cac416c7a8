import type { Struct, Value } from "@bufbuild/protobuf/wkt";
import type { JsonObject, JsonValue } from "@toolgate/core";

/**
 * A google.protobuf.Value as JSON.
 *
 * @throws RangeError where a number is none that JSON has, or no kind of value is set.
 */
export function jsonOfValue({ kind }: Value): JsonValue {
  switch (kind.case) {
    case "nullValue":
      return null;
    case "numberValue":
      if (!Number.isFinite(kind.value)) throw new RangeError(`JSON has no number ${kind.value}`);
      return kind.value;
    case "stringValue":
    case "boolValue":
      return kind.value;
    case "structValue":
      return jsonOfStruct(kind.value);
    case "listValue":
      return kind.value.values.map(jsonOfValue);
    default:
      throw new RangeError("a value without a kind");
  }
}

function jsonOfStruct({ fields }: Struct): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, jsonOfValue(value)]));
}
