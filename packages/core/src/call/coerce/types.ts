import { isJsonObject, type JsonValue } from "../../json/json.ts";

/** A set of JSON types, one bit each. A number without a fraction is an integer, as JSON Schema says it. */
export type Types = number;

export const NULL = 1;
export const BOOLEAN = 2;
export const INTEGER = 4;
export const FRACTION = 8;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
export const NO_TYPE = 0;
export const ANY_TYPE = 127;

const BY_NAME: ReadonlyMap<JsonValue, Types> = new Map([
  ["null", NULL],
  ["boolean", BOOLEAN],
  ["integer", INTEGER],
  ["number", INTEGER | FRACTION],
  ["string", STRING],
  ["array", ARRAY],
  ["object", OBJECT],
]);

/** The one type of a value. */
export function typeOf(value: JsonValue): Types {
  switch (typeof value) {
    case "string":
      return STRING;
    case "number":
      return Number.isInteger(value) ? INTEGER : FRACTION;
    case "boolean":
      return BOOLEAN;
    case "bigint":
      return INTEGER;
    default:
      if (value === null) return NULL;
      return isJsonObject(value) ? OBJECT : ARRAY;
  }
}

/** What the keyword `type` allows, with `nullable` beside it as OpenAPI 3.0 has it. A name that nobody knows allows all. */
export function typesOf(type: JsonValue | undefined, nullable: boolean): Types {
  if (type === undefined) return ANY_TYPE;
  let types = nullable ? NULL : NO_TYPE;
  for (const name of [type].flat()) types |= BY_NAME.get(name) ?? ANY_TYPE;
  return types;
}
