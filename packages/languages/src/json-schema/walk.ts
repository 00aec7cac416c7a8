import { escapePointer, isJsonObject, type JsonObject, type JsonValue, targetOf } from "@toolgate/core";

/** A schema inside a schema, with its JSON Pointer from the root. */
export interface Subschema {
  readonly path: string;
  readonly schema: JsonObject;
}

/** Where a keyword's value holds schemas: it is one, a list of them, or an object of them. */
const HOLDERS: ReadonlyMap<string, "one" | "list" | "map"> = new Map([
  ["$defs", "map"],
  ["additionalItems", "one"],
  ["additionalProperties", "one"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["contains", "one"],
  ["contentSchema", "one"],
  ["definitions", "map"],
  ["dependencies", "map"],
  ["dependentSchemas", "map"],
  ["else", "one"],
  ["if", "one"],
  // A list in the dialects before 2020-12.
  ["items", "one"],
  ["not", "one"],
  ["oneOf", "list"],
  ["patternProperties", "map"],
  ["prefixItems", "list"],
  ["properties", "map"],
  ["propertyNames", "one"],
  ["then", "one"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
]);

/**
 * Every schema in this one, in the order of the document, the root first; then
 * those that only a `$ref` makes schemas, such as `#/components/schemas/Pet`.
 * What stands under `enum`, `const`, `default` and the like is data.
 */
export function subschemas(root: JsonObject): readonly Subschema[] {
  const found: Subschema[] = [];
  const seen = new Set<JsonObject>();
  collect({ path: "", schema: root }, { found, seen });
  // The list grows while it is read.
  for (const { schema } of found) {
    const target = typeof schema.$ref === "string" ? targetOf(root, schema.$ref) : undefined;
    if (isJsonObject(target?.value) && !seen.has(target.value)) {
      collect({ path: target.path, schema: target.value }, { found, seen });
    }
  }
  return found;
}

interface Walk {
  readonly found: Subschema[];
  readonly seen: Set<JsonObject>;
}

function collect(place: Subschema, walk: Walk): void {
  if (walk.seen.has(place.schema)) return;
  walk.seen.add(place.schema);
  walk.found.push(place);
  for (const child of children(place)) collect(child, walk);
}

/** The schemas right below this one. */
export function children({ path, schema }: Subschema): readonly Subschema[] {
  const below: Subschema[] = [];
  for (const key of Object.keys(schema)) {
    if (!HOLDERS.has(key)) continue;
    for (const [place, value] of members(`${path}/${key}`, schema[key] as JsonValue)) {
      if (isJsonObject(value)) below.push({ path: place, schema: value });
    }
  }
  return below;
}

/** What a keyword holds, each with its place: one value, or those of a list or an object. */
function members(path: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (Array.isArray(value)) return value.map((item, i) => [`${path}/${i}`, item]);
  const isMap = isJsonObject(value) && HOLDERS.get(path.slice(path.lastIndexOf("/") + 1)) === "map";
  if (!isMap) return [[path, value]];
  return Object.entries(value).map(([name, item]) => [`${path}/${escapePointer(name)}`, item]);
}

/** The schemas that are applied to the same value as this one: a reference's target, branches, conditions. */
export function inPlace(root: JsonObject, schema: JsonObject): readonly JsonObject[] {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then: met, else: unmet } = schema;
  const dependent = [schema.dependentSchemas, schema.dependencies].filter(isJsonObject);
  const target = typeof $ref === "string" ? targetOf(root, $ref)?.value : undefined;
  const all = [target, allOf, anyOf, oneOf, not, condition, met, unmet, ...dependent.map(Object.values)];
  return all.flat().filter(isJsonObject);
}

/** All schemas in these, at whatever depth, through references too. */
export function reachable(root: JsonObject, from: readonly JsonValue[]): ReadonlySet<unknown> {
  const found: Subschema[] = [];
  const walk = { found, seen: new Set<JsonObject>() };
  for (const schema of from) if (isJsonObject(schema)) collect({ path: "", schema }, walk);
  for (const { schema } of found) {
    const target = typeof schema.$ref === "string" ? targetOf(root, schema.$ref)?.value : undefined;
    if (isJsonObject(target)) collect({ path: "", schema: target }, walk);
  }
  return walk.seen;
}

/** Whether objects and arrays are nested deeper than this; a value that contains itself always is. */
export function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, limit - 1));
  for (const key of Object.keys(value)) if (isDeeperThan(value[key] as JsonValue, limit - 1)) return true;
  return false;
}
