import type { JsonObject, JsonValue } from "../json.ts";
import { isObject, listOf, own, typesOf, without } from "../schema/schema.ts";
import { mapSchemas } from "../schema/subschemas.ts";

/** JSON as any library can write it. */
export type PlainJson = null | boolean | number | string | PlainJson[] | { [key: string]: PlainJson };

/** A copy without `bigint`, which `JSON.stringify` refuses: bounds beyond 2^53 are rounded. */
export function plainJson(value: JsonValue): PlainJson {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plainJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainJson(part)]));
}

/**
 * Arrays in the form of draft 2020-12, each with `items`: OpenAI refuses an
 * array without it, and both OpenAI and Anthropic a list of schemas in it.
 */
export function withArrayItems(schema: JsonObject): JsonObject {
  return mapSchemas(schema, arrayItems) as JsonObject;
}

function arrayItems(schema: JsonObject): JsonObject {
  const items = own(schema, "items");
  if (Array.isArray(items)) {
    const { additionalItems = {}, ...rest } = without(schema, ["items"]);
    return { ...rest, prefixItems: [...listOf(items)], items: additionalItems };
  }
  return items === undefined && typesOf(schema).includes("array") ? { ...schema, items: {} } : schema;
}
