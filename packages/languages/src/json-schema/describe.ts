import { type JsonObject, type JsonValue, jsonTypeOf } from "@toolgate/core";

const MAX_EXCERPT = 60;
const MAX_CHOICES = 10;

/** What was there, in at most a hundred characters: `string "abc"`, `array of 3`, `object with a, b`. */
export function describeValue(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `array of ${value.length}`;
  if (typeof value === "object") return describeObject(Object.keys(value));
  if (typeof value === "string") return `string ${JSON.stringify(excerpt(value))}`;
  return `${jsonTypeOf(value)} ${excerpt(String(value))}`;
}

function describeObject(keys: readonly string[]): string {
  if (keys.length === 0) return "an empty object";
  return `object with ${excerpt(keys.join(", "))}`;
}

function excerpt(text: string): string {
  return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text;
}

/** What a schema asks for, in a few words. */
export function describeSchema(schema: JsonValue | undefined): string {
  if (schema === undefined || schema === true) return "any value";
  if (schema === false) return "nothing";
  const { type, enum: choices, const: only, properties, format } = schema as JsonObject;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return oneOf(choices);
  if (type !== undefined) {
    const name = [type].flat().join(" or ");
    const keys =
      name === "object" && typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
    if (keys.length > 0) return `object with ${excerpt(keys.join(", "))}`;
    return typeof format === "string" ? `${name} (${format})` : name;
  }
  return "a value of another form";
}

export function oneOf(choices: readonly JsonValue[]): string {
  const shown = choices.slice(0, MAX_CHOICES).map((choice) => excerpt(JSON.stringify(choice)));
  const more = choices.length > MAX_CHOICES ? `, … (${choices.length} in all)` : "";
  return choices.length === 1 ? String(shown[0]) : `one of ${shown.join(", ")}${more}`;
}
