import { type JsonValue, parseJson, stringifyJson } from "@toolgate/client";
import { hasType, type JsonType, nounsOf } from "./json-type.ts";
import { quote } from "./pairs.ts";
import type { SchemaView } from "./schema-view.ts";

/** A value, or a sentence on what was expected. */
export type ReadValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads what was given for one name by what the schema says of it:
 * - a value that `enum` or `const` lists is that value;
 * - where text is allowed, or nothing is said, it is text ("000123" too), but
 *   for a list or an object in JSON where one of these is allowed as well;
 * - else it is JSON, and must be of an allowed type;
 * - a list is JSON text, or the option repeated.
 */
export function readValue(texts: readonly string[], schema: SchemaView): ReadValue {
  const { types } = schema;
  const [text = ""] = texts;
  if (texts.length > 1) {
    if (types?.has("array")) return readItems(texts, schema);
    return refuse("It is given more than once, and the tool's schema does not ask for a list.");
  }
  const listed = listedValue(text, schema.values);
  if (listed !== undefined) return accept(listed);
  if (types === undefined || types.has("string")) return accept(structure(text, types) ?? text);
  const value = jsonOf(text);
  if (value !== undefined && hasType(value, types)) return accept(value);
  if (types.has("array") && text !== "" && !text.trimStart().startsWith("[")) return readItems(texts, schema);
  return refuse(`Expected ${nounsOf(types)}, not ${text === "" ? "empty text" : quote(text)}.${hintFor(text, types)}`);
}

function readItems(texts: readonly string[], schema: SchemaView): ReadValue {
  const items: JsonValue[] = [];
  for (const [i, text] of texts.entries()) {
    const item = readValue([text], schema.item(i));
    if (!item.ok) return item;
    items.push(item.value);
  }
  return accept(items);
}

function listedValue(text: string, values: readonly JsonValue[]): JsonValue | undefined {
  if (values.includes(text)) return text;
  return values.find((value) => typeof value !== "string" && stringifyJson(value) === text);
}

/** A list or an object in JSON, where the schema allows that besides text. */
function structure(text: string, types: ReadonlySet<JsonType> | undefined): JsonValue | undefined {
  if (types === undefined || !/^\s*[[{]/.test(text)) return undefined;
  const value = jsonOf(text);
  return value !== undefined && hasType(value, types) ? value : undefined;
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    const value = parseJson(text);
    return typeof value === "number" && !Number.isFinite(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function hintFor(text: string, types: ReadonlySet<JsonType>): string {
  if (!types.has("array")) return "";
  return text === "" ? " An empty list is []." : " Write it as JSON, or repeat the option for each element.";
}

function accept(value: JsonValue): ReadValue {
  return { ok: true, value };
}

function refuse(problem: string): ReadValue {
  return { ok: false, problem };
}
