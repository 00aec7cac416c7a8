import type { JsonValue } from "@toolgate/client";

export type JsonType = "string" | "integer" | "number" | "boolean" | "null" | "array" | "object";

const NOUNS: Readonly<Record<JsonType, string>> = {
  string: "text",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  null: "null",
  array: "a list",
  object: "an object",
};

export function isJsonType(name: unknown): name is JsonType {
  return typeof name === "string" && Object.hasOwn(NOUNS, name);
}

/** "an integer or null". */
export function nounsOf(types: ReadonlySet<JsonType>): string {
  const names = [...types].filter((type) => type !== "integer" || !types.has("number")).map((type) => NOUNS[type]);
  return names.length < 2 ? (names[0] ?? "nothing") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** The most exact type of a value: 5 and 5.0 are integers (JSON Schema 2020-12, core, section 6.1.1). */
export function jsonTypeOf(value: JsonValue): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "string":
      return "string";
    default:
      return "object";
  }
}

/** Whether a type is one of these; every integer is a number too. */
export function covers(types: ReadonlySet<JsonType>, type: JsonType): boolean {
  return types.has(type) || (type === "integer" && types.has("number"));
}

export function hasType(value: JsonValue, types: ReadonlySet<JsonType>): boolean {
  return covers(types, jsonTypeOf(value));
}
