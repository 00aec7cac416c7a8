import { isJsonObject, type JsonObject, type JsonValue } from "@toolgate/core";

/** A schema inside a schema, with its JSON Pointer from the root. */
export interface Subschema {
  readonly path: string;
  readonly schema: JsonObject;
}

const ONE = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const LIST = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAP = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/** Every schema in this one, the root first. What stands under `enum`, `const`, `default` and the like is data. */
export function* subschemas(root: JsonValue): Generator<Subschema> {
  const waiting: Place[] = [{ path: "", value: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value: schema } = next;
    if (!isJsonObject(schema)) continue;
    yield { path, schema };
    waiting.push(...single(path, schema), ...listed(path, schema), ...named(path, schema));
  }
}

interface Place {
  readonly path: string;
  readonly value: JsonValue;
}

function own(schema: JsonObject, keys: readonly string[]): [string, JsonValue][] {
  return keys.filter((key) => Object.hasOwn(schema, key)).map((key) => [key, schema[key] as JsonValue]);
}

function single(path: string, schema: JsonObject): Place[] {
  return own(schema, ONE).map(([key, value]) => ({ path: `${path}/${key}`, value }));
}

function listed(path: string, schema: JsonObject): Place[] {
  return own(schema, LIST).flatMap(([key, list]) =>
    Array.isArray(list) ? list.map((value, i) => ({ path: `${path}/${key}/${i}`, value })) : [],
  );
}

function named(path: string, schema: JsonObject): Place[] {
  return own(schema, MAP).flatMap(([key, map]) =>
    isJsonObject(map)
      ? Object.entries(map).map(([name, value]) => ({ path: `${path}/${key}/${escapePointer(name)}`, value }))
      : [],
  );
}

/** RFC 6901 section 3. */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
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

/** How deeply objects and arrays are nested; stops counting beyond `limit`. */
export function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item as JsonValue, limit - 1));
}
