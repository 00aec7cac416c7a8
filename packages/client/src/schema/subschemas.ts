import type { JsonObject, JsonValue } from "../json.ts";
import { isObject } from "./schema.ts";

/** Keywords whose value is a schema, of all drafts that tools use. */
const ONE = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
/** Keywords whose value is a list of schemas; `items` is one of old. */
const LIST = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/** Keywords whose value holds schemas by name. */
const NAMED = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/** A copy in which every schema inside was changed, from the innermost out. Enums, defaults and examples stay. */
export function mapSchemas(schema: JsonValue, change: (schema: JsonObject) => JsonObject): JsonValue {
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, change)]);
  return change(Object.fromEntries(entries));
}

function mapKeyword(keyword: string, value: JsonValue, change: (schema: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return LIST.includes(keyword) ? value.map((item) => mapSchemas(item, change)) : value;
  if (!isObject(value)) return value;
  if (ONE.includes(keyword)) return mapSchemas(value, change);
  if (!NAMED.includes(keyword)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapSchemas(item, change)]));
}
