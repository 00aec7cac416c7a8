import type { JsonObject, JsonValue } from "../../json.ts";
import { isObject, listOf, own, propertiesOf, stringsOf } from "../../schema/schema.ts";
import { anyValue, type GeminiSchema } from "./schema.ts";

/** Makes a Gemini schema of a schema inside another one. */
export type Convert = (schema: JsonValue) => GeminiSchema;

const FORMATS = {
  integer: ["int32", "int64"],
  number: ["double", "float"],
  string: ["date-time"],
} as const;
/** RE2, which Gemini's patterns are in, has neither look-around nor references back. */
const NOT_RE2 = /\(\?[=!<]|\\[1-9]|\\k</;

/** A schema of exactly one type; the name is JSON Schema's. */
export function typedSchema(type: string, schema: JsonObject, convert: Convert): GeminiSchema {
  switch (type) {
    case "array":
      return arraySchema(schema, convert);
    case "boolean":
      return { type: "BOOLEAN" };
    case "integer":
      return { type: "INTEGER", ...formatOf(schema, FORMATS.integer), ...boundsOf(schema, 1) };
    case "number":
      return { type: "NUMBER", ...formatOf(schema, FORMATS.number), ...boundsOf(schema, 0) };
    case "object":
      return objectSchema(schema, convert);
    default:
      return stringSchema(schema);
  }
}

function objectSchema(schema: JsonObject, convert: Convert): GeminiSchema {
  const properties = propertiesOf(schema).map(([name, value]) => [name, convert(value)] as const);
  // An object without known properties must not have the keyword at all.
  if (properties.length === 0) return { type: "OBJECT" };
  const required = stringsOf(own(schema, "required")).filter((name) => properties.some(([known]) => known === name));
  return {
    type: "OBJECT",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

function arraySchema(schema: JsonObject, convert: Convert): GeminiSchema {
  const items = own(schema, "items");
  const tuple = [...listOf(own(schema, "prefixItems")), ...listOf(items)];
  const rest = isObject(items) && Object.keys(items).length > 0 ? [items] : [];
  const sizes = numbersOf(schema, ["minItems", "maxItems"]);
  return { type: "ARRAY", items: oneOf([...tuple, ...rest].map(convert)), ...sizes };
}

function stringSchema(schema: JsonObject): GeminiSchema {
  const pattern = own(schema, "pattern");
  return {
    type: "STRING",
    ...formatOf(schema, FORMATS.string),
    ...numbersOf(schema, ["minLength", "maxLength"]),
    ...(typeof pattern === "string" && !NOT_RE2.test(pattern) ? { pattern } : {}),
  };
}

/** One of several schemas; any value where there are none. */
export function oneOf(schemas: readonly GeminiSchema[]): GeminiSchema {
  const flat = schemas.flatMap((schema) => schema.anyOf ?? [schema]);
  const distinct = [...new Map(flat.map((schema) => [JSON.stringify(schema), schema])).values()];
  if (distinct.length === 0) return anyValue();
  return distinct.length === 1 ? (distinct[0] as GeminiSchema) : { anyOf: distinct };
}

function formatOf(schema: JsonObject, known: readonly string[]): GeminiSchema {
  const format = own(schema, "format");
  return typeof format === "string" && known.includes(format) ? { format } : {};
}

/** @param step what lies between an excluded bound and the next value; 0 where nothing can be said. */
function boundsOf(schema: JsonObject, step: 0 | 1): GeminiSchema {
  const bounds = numbersOf(schema, ["minimum", "maximum"]);
  const { exclusiveMinimum, exclusiveMaximum } = numbersOf(schema, ["exclusiveMinimum", "exclusiveMaximum"]);
  if (step === 0) return bounds;
  return {
    ...(exclusiveMinimum === undefined ? {} : { minimum: Math.floor(exclusiveMinimum) + step }),
    ...(exclusiveMaximum === undefined ? {} : { maximum: Math.ceil(exclusiveMaximum) - step }),
    ...bounds,
  };
}

function numbersOf<K extends string>(schema: JsonObject, keywords: readonly K[]): Partial<Record<K, number>> {
  const found = keywords.flatMap((keyword) => {
    const value = own(schema, keyword);
    return typeof value === "number" || typeof value === "bigint" ? [[keyword, Number(value)] as const] : [];
  });
  return Object.fromEntries(found) as Partial<Record<K, number>>;
}
