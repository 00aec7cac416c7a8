import { excerpt, isJsonObject, type JsonObject, type JsonValue, jsonTypeOf, targetOf } from "@toolgate/core";

/** Of a text of the schema or the value, the characters that a description repeats. */
export const MAX_EXCERPT = 60;
const MAX_CHOICES = 10;
const MAX_FORMS = 5;
const MAX_NESTED = 4;

/** What was there, in at most a hundred characters: `string "abc"`, `array of 3`, `object with a, b`. */
export function describeValue(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `array of ${value.length}`;
  if (typeof value === "object") return describeObject(Object.keys(value));
  if (typeof value === "string") return `string ${JSON.stringify(excerpt(value, MAX_EXCERPT))}`.slice(0, 100);
  return `${jsonTypeOf(value)} ${excerpt(String(value), MAX_EXCERPT)}`;
}

function describeObject(keys: readonly string[]): string {
  if (keys.length === 0) return "an empty object";
  return `object with ${excerpt(keys.join(", "), MAX_EXCERPT)}`;
}

/** What a schema asks for, in a few words: `integer from 1 to 10`, `string or null`, `array of string`. */
export function describeSchema(schema: JsonValue | undefined, root: JsonValue, nested = 0): string {
  if (schema === false) return "nothing";
  if (!isJsonObject(schema) || nested > MAX_NESTED) return "any value";
  const { $ref, const: only, enum: choices } = schema;
  if (only !== undefined) return asText(only);
  if (Array.isArray(choices)) return oneOf(choices);
  if (typeof $ref === "string" && isJsonObject(root)) {
    return describeSchema(targetOf(root, $ref)?.value, root, nested + 1);
  }
  return describeType(schema, root, nested) ?? describeParts(schema, root, nested) ?? "a value of another form";
}

function describeType(schema: JsonObject, root: JsonValue, nested: number): string | undefined {
  const { type } = schema;
  if (Array.isArray(type)) {
    return type.map((name) => describeType({ ...schema, type: name }, root, nested) ?? "").join(" or ");
  }
  switch (type) {
    case undefined:
      return undefined;
    case "integer":
    case "number":
      return [type, describeRange(schema)].filter(Boolean).join(" ");
    case "string":
      return describeText(schema);
    case "array": {
      const items = isJsonObject(schema.items) ? describeSchema(schema.items, root, nested + 2) : "any value";
      return items === "any value" ? "array" : `array of ${items}`;
    }
    case "object":
      return describeMembers(schema) ?? "object";
    default:
      return String(type);
  }
}

function describeText({ format, minLength, maxLength, pattern }: JsonObject): string {
  if (typeof format === "string") return `string (${excerpt(format, MAX_EXCERPT)})`;
  if (typeof pattern === "string") return `string that fits ${excerpt(pattern, MAX_EXCERPT)}`;
  const range = describeRange({ minimum: minLength ?? null, maximum: maxLength ?? null });
  return range === "" ? "string" : `string (${range} characters)`;
}

/** The bounds of a number: `from 1 to 10`, `at least 1`, `above 0`; empty where there are none. */
export function describeRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): string {
  const isBound = (value: JsonValue | undefined) => typeof value === "number";
  if (isBound(minimum) && isBound(maximum)) return `from ${minimum} to ${maximum}`;
  const low = isBound(exclusiveMinimum) ? `above ${exclusiveMinimum}` : isBound(minimum) ? `at least ${minimum}` : "";
  const high = isBound(exclusiveMaximum) ? `below ${exclusiveMaximum}` : isBound(maximum) ? `at most ${maximum}` : "";
  return [low, high].filter(Boolean).join(" and ");
}

function describeMembers({ properties, required }: JsonObject): string | undefined {
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const names = needed.length > 0 ? needed : isJsonObject(properties) ? Object.keys(properties) : [];
  return names.length === 0 ? undefined : `object with ${excerpt(names.join(", "), MAX_EXCERPT)}`;
}

function describeParts(schema: JsonObject, root: JsonValue, nested: number): string | undefined {
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return describeForms(branches, root, nested + 1);
  if (Array.isArray(schema.allOf)) return describeSchema(schema.allOf[0], root, nested + 1);
  return describeMembers(schema);
}

/** What a choice offers: each form once. */
export function describeForms(branches: readonly JsonValue[], root: JsonValue, nested = 0): string {
  const fixed = branches.flatMap((branch) => fixedValues(branch) ?? []);
  if (branches.every((branch) => fixedValues(branch) !== undefined)) return oneOf(fixed);
  const forms = [...new Set(branches.map((branch) => describeSchema(branch, root, nested)))];
  const more = forms.length > MAX_FORMS ? ` or one of ${forms.length - MAX_FORMS} other forms` : "";
  return `${forms.slice(0, MAX_FORMS).join(" or ")}${more}`;
}

function fixedValues(schema: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

export function oneOf(choices: readonly JsonValue[]): string {
  const shown = choices.slice(0, MAX_CHOICES).map(asText);
  const more = choices.length > MAX_CHOICES ? `, … (${choices.length} in all)` : "";
  return choices.length === 1 ? String(shown[0]) : `one of ${shown.join(", ")}${more}`;
}

export function asText(value: JsonValue): string {
  return excerpt(JSON.stringify(value), MAX_EXCERPT);
}
