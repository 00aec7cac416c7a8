import type { JsonObject, JsonValue } from "../json.ts";

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of a list; none where it is not one. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function stringsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** Own keys only: a schema may name a property `constructor`. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The schemas of an object's properties, in their order. */
export function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonValue])[] {
  const properties = own(schema, "properties");
  return isObject(properties) ? Object.entries(properties) : [];
}

/** The names of `type`, of which there may be several. */
export function typesOf(schema: JsonObject): readonly string[] {
  const type = own(schema, "type");
  return typeof type === "string" ? [type] : stringsOf(type);
}

/** A schema without some keywords. */
export function without(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/**
 * What a `$ref` means inside its own document: "#" or a JSON Pointer
 * (RFC 6901). Undefined for any other; nothing is ever fetched.
 */
export function resolveRef(root: JsonValue, ref: string): JsonValue | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let value: JsonValue | undefined = root;
  for (const part of ref.slice(2).split("/")) {
    const key = pointerKey(part);
    if (Array.isArray(value)) value = /^\d+$/.test(key) ? value[Number(key)] : undefined;
    else value = isObject(value) ? own(value, key) : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

function pointerKey(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A percent sign that encodes nothing stands for itself.
  }
  return decoded.replaceAll("~1", "/").replaceAll("~0", "~");
}
