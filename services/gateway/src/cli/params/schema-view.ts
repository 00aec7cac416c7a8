import type { JsonObject, JsonValue } from "@toolgate/client";
import { covers, isJsonType, type JsonType, jsonTypeOf } from "./json-type.ts";

/** A schema as a choice of ways to fit it; each way is a list of schemas that all hold. */
type Way = readonly JsonObject[];

const MAX_WAYS = 64;
/** Schemas that are looked into for one view; more is a schema that refers to itself. */
const MAX_STEPS = 500;

/** What a JSON Schema says of a property, as far as the command line needs it to read text. Judges no value. */
export class SchemaView {
  readonly #root: JsonValue;
  readonly #ways: readonly Way[];

  constructor(root: JsonValue, schema: JsonValue = root) {
    this.#root = root;
    this.#ways = waysOf(schema, { root, left: MAX_STEPS });
  }

  /** The types that are allowed; `undefined` where nothing is said. */
  get types(): ReadonlySet<JsonType> | undefined {
    const all = new Set<JsonType>();
    for (const way of this.#ways) {
      const types = typesOf(way);
      if (types === undefined) return undefined;
      for (const type of types) all.add(type);
    }
    return all;
  }

  /** Values that `enum` and `const` list. */
  get values(): readonly JsonValue[] {
    return this.#ways.flat().flatMap((schema) => listedValues(schema) ?? []);
  }

  /** Names that `properties` lists. */
  get propertyNames(): readonly string[] {
    return [
      ...new Set(this.#ways.flat().flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))),
    ];
  }

  /** What is said of a property; `undefined` where an object with it cannot fit. */
  property(name: string): SchemaView | undefined {
    const ways = this.#ways.filter((way) => !refuses(way, name));
    if (ways.length === 0) return undefined;
    return this.#view(ways.map((way) => way.flatMap((schema) => propertySchemas(schema, name))));
  }

  /** What is said of an element of a list. */
  item(index: number): SchemaView {
    return this.#view(this.#ways.map((way) => way.flatMap((schema) => itemSchema(schema, index) ?? [])));
  }

  #view(ways: readonly (readonly JsonValue[])[]): SchemaView {
    return new SchemaView(this.#root, { anyOf: ways.map((schemas) => ({ allOf: [...schemas] })) });
  }
}

/** What is left of the steps of one walk. */
interface Walk {
  readonly root: JsonValue;
  left: number;
}

function waysOf(schema: JsonValue | undefined, walk: Walk): Way[] {
  if (schema === false) return [];
  if (!isObject(schema) || walk.left-- <= 0) return [[]];
  let ways: Way[] = [[schema]];
  const and = (more: readonly Way[]) => {
    if (ways.length * more.length <= MAX_WAYS) ways = ways.flatMap((way) => more.map((other) => [...way, ...other]));
  };
  if (typeof schema.$ref === "string") and(waysOf(targetOf(schema.$ref, walk.root), walk));
  for (const part of listOf(schema.allOf)) and(waysOf(part, walk));
  for (const choice of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(choice)) and(choice.flatMap((part) => waysOf(part, walk)));
  }
  return ways;
}

/** Follows a JSON Pointer into the same document (RFC 6901); other references are not known here. */
function targetOf(ref: string, root: JsonValue): JsonValue | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let value: JsonValue | undefined = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
  }
  return value;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function typesOf(way: Way): ReadonlySet<JsonType> | undefined {
  let types: ReadonlySet<JsonType> | undefined;
  for (const schema of way) {
    const said = ownTypes(schema);
    if (said !== undefined)
      types = types === undefined ? said : new Set([...types].filter((type) => covers(said, type)));
  }
  return types;
}

function ownTypes(schema: JsonObject): ReadonlySet<JsonType> | undefined {
  if (schema.type !== undefined) return new Set([schema.type].flat().filter(isJsonType));
  const values = listedValues(schema);
  return values === undefined ? undefined : new Set(values.map(jsonTypeOf));
}

function listedValues(schema: JsonObject): readonly JsonValue[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema.const as JsonValue];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

function propertySchemas(schema: JsonObject, name: string): readonly JsonValue[] {
  const named = namedSchemas(schema, name);
  return named.length === 0 && schema.additionalProperties !== undefined ? [schema.additionalProperties] : named;
}

function namedSchemas({ properties, patternProperties }: JsonObject, name: string): readonly JsonValue[] {
  const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name] as JsonValue] : [];
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  return [...own, ...patterns.filter(([pattern]) => matches(pattern, name)).map(([, schema]) => schema)];
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return false;
  }
}

function refuses(way: Way, name: string): boolean {
  const declared = way.some((schema) => namedSchemas(schema, name).length > 0);
  return way.some((schema) => {
    if (schema.additionalProperties === false && namedSchemas(schema, name).length === 0) return true;
    return schema.unevaluatedProperties === false && !declared;
  });
}

function itemSchema(schema: JsonObject, index: number): JsonValue | undefined {
  const { items } = schema;
  // Draft 7 writes a tuple as a list in "items", 2020-12 in "prefixItems".
  const tuple = listOf(Array.isArray(items) ? items : schema.prefixItems);
  const rest = Array.isArray(items) ? schema.additionalItems : items;
  return tuple[index] ?? rest;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
