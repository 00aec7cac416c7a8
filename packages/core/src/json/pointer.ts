import type { JsonObject, JsonValue } from "./json.ts";

/** A name as a part of a JSON Pointer (RFC 6901 section 3). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** What a reference by JSON Pointer (`#/$defs/a`, `#`) leads to; `undefined` for any other, and where nothing is. */
export function targetOf(root: JsonObject, ref: string): { path: string; value: JsonValue } | undefined {
  if (ref === "#" || ref === "#/") return { path: "", value: root };
  if (!ref.startsWith("#/")) return undefined;
  try {
    const path = decodeURIComponent(ref.slice(1));
    const value = valueAt(root, path);
    return value === undefined ? undefined : { path, value };
  } catch {
    return undefined;
  }
}

/** The value at a JSON Pointer; `undefined` where there is none. */
export function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}
