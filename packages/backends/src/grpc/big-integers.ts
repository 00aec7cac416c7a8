import type { DescMessage, JsonValue as ProtoJson } from "@bufbuild/protobuf";
import { containsBigInt, isJsonObject, type JsonObject, type JsonValue, type Violation } from "@toolgate/core";
import { fieldNamed, hasOwnJson, pointer } from "./json-types.ts";

export interface Digits {
  readonly json: ProtoJson;
  readonly violations: readonly Violation[];
}

/**
 * Replaces integers beyond 2^53 by their digits as text, which is how 64-bit
 * fields take them. A google.protobuf.Value holds doubles and would lose some.
 */
export function withDigits(message: DescMessage, args: JsonObject): Digits {
  const violations: Violation[] = [];
  return { json: replaced(args, { message, path: "", violations }), violations };
}

interface Spot {
  /** Unset inside lists and maps of scalars, and where a field is not known. */
  readonly message: DescMessage | undefined;
  readonly path: string;
  readonly violations: Violation[];
}

function replaced(part: JsonValue, { message, path, violations }: Spot): ProtoJson {
  if (!containsBigInt(part)) return part as ProtoJson;
  if (message !== undefined && /^google\.protobuf\.(Value|Struct|ListValue)$/.test(message.typeName)) {
    const expected = "integers within 2^53, since a google.protobuf.Value holds no larger ones";
    violations.push({ path, expected, got: "a larger one" });
    return null;
  }
  if (typeof part === "bigint") return part.toString();
  if (Array.isArray(part)) {
    return part.map((item, index) => replaced(item, { message, path: pointer(path, String(index)), violations }));
  }
  const fields = message === undefined || hasOwnJson(message) ? undefined : message;
  return mapped(part as JsonObject, (key, value) => {
    const field = fields === undefined ? undefined : fieldNamed(fields, key);
    const at = pointer(path, key);
    const inner = (item: JsonValue, where: string) =>
      replaced(item, { message: field?.message, path: where, violations });
    if (field?.fieldKind !== "map" || !isJsonObject(value)) return inner(value, at);
    return mapped(value, (name, item) => inner(item, pointer(at, name)));
  });
}

function mapped(object: JsonObject, change: (key: string, value: JsonValue) => ProtoJson): ProtoJson {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));
}
