import type { JsonObject, JsonValue } from "../../json.ts";
import { stringifyJson } from "../../json.ts";
import { isObject, listOf, own, propertiesOf, resolveRef, typesOf, without } from "../../schema/schema.ts";
import { fieldsOf, schemasOf } from "../object-root.ts";
import { anyValue, type GeminiSchema } from "./schema.ts";
import { oneOf, typedSchema } from "./typed-schema.ts";

/** References are not followed any more in a schema that grew larger than this. */
const MAX_SCHEMAS = 2_000;
/** Nor are they this deep inside. */
const MAX_DEPTH = 24;

/** Where a conversion stands. */
interface Place {
  readonly root: JsonObject;
  /** References that led here; one of them again would never end. */
  readonly refs: readonly string[];
  readonly depth: number;
  readonly size: { schemas: number };
}

/**
 * A JSON Schema in the subset of OpenAPI's that Gemini takes. What the subset
 * cannot say is left out, and references are put in place where they end: the
 * gateway checks the real schema.
 */
export function geminiSchema(schema: JsonObject): GeminiSchema {
  return convert(schema, { root: schema, refs: [], depth: 0, size: { schemas: 0 } });
}

function convert(value: JsonValue, place: Place): GeminiSchema {
  if (!isObject(value)) return anyValue();
  place.size.schemas += 1;
  const { schema, place: inside } = followed(value, place);
  const converted = shapeOf(schema, { ...inside, depth: inside.depth + 1 });
  const nullable = isNullable(schema) ? withNull(converted) : converted;
  return described(nullable, schema);
}

/** The schema with what its reference means in it. */
function followed(schema: JsonObject, place: Place): { schema: JsonObject; place: Place } {
  const ref = own(schema, "$ref");
  if (typeof ref !== "string") return { schema, place };
  const rest = without(schema, ["$ref"]);
  const target = resolveRef(place.root, ref);
  if (!isObject(target)) return { schema: rest, place };
  const isEndless = place.refs.includes(ref) || place.size.schemas > MAX_SCHEMAS || place.depth > MAX_DEPTH;
  // Cut here, only the kind of value is left.
  if (isEndless) return { schema: { ...pick(target, ["description", "title", "type"]), ...rest }, place };
  return followed({ ...target, ...rest }, { ...place, refs: [...place.refs, ref] });
}

function shapeOf(schema: JsonObject, place: Place): GeminiSchema {
  const values = valuesOf(schema);
  if (values !== undefined) return fixedValues(values);
  const types = typesOf(schema).filter((type) => type !== "null");
  const inner = (part: JsonValue) => convert(part, place);
  const isFields = propertiesOf(schema).length > 0 || (types.length === 1 && types[0] === "object");
  const choices = [...listOf(own(schema, "anyOf")), ...listOf(own(schema, "oneOf"))].filter((part) => !isNull(part));
  const isMixed = choices.length > 0 || listOf(own(schema, "allOf")).length > 0;
  if (isFields && isMixed) return typedSchema("object", mergedFields(schema, place), inner);
  const all = listOf(own(schema, "allOf")).filter(isObject);
  if (all.length > 0) return mergedAll(schema, all, place);
  const base = without(schema, ["anyOf", "oneOf", "description", "title"]);
  if (choices.length > 0) return oneOf(choices.map((part) => inner(isObject(part) ? { ...base, ...part } : part)));
  const known = types.length > 0 ? types : impliedTypes(schema);
  return oneOf(known.map((type) => typedSchema(type, schema, inner)));
}

/** `enum` or `const`; null is told by `nullable`. */
function valuesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const constant = own(schema, "const");
  const values = constant === undefined ? own(schema, "enum") : [constant];
  return Array.isArray(values) && values.length > 0 ? values.filter((value) => value !== null) : undefined;
}

/** Only texts can be enumerated, and none of them may be empty; other values are told in the description. */
function fixedValues(values: readonly JsonValue[]): GeminiSchema {
  const types = [...new Set(values.map(typeOfValue))];
  const texts = values.filter((value) => typeof value === "string" && value !== "") as string[];
  if (types.every((type) => type === "STRING")) {
    return texts.length === 0 ? { type: "STRING" } : { type: "STRING", enum: [...new Set(texts)] };
  }
  const description = `One of: ${values.map((value) => stringifyJson(value)).join(", ")}.`;
  const [type, ...others] = types;
  if (others.length > 0 || type === "ARRAY") return { ...anyValue(), description };
  return { type: type as NonNullable<GeminiSchema["type"]>, description };
}

function typeOfValue(value: JsonValue): NonNullable<GeminiSchema["type"]> {
  if (Array.isArray(value)) return "ARRAY";
  if (typeof value === "string") return "STRING";
  if (typeof value === "boolean") return "BOOLEAN";
  if (typeof value === "bigint") return "INTEGER";
  if (typeof value === "number") return Number.isInteger(value) ? "INTEGER" : "NUMBER";
  return "OBJECT";
}

/** An object whose fields are spread over combinators. */
function mergedFields(schema: JsonObject, { root }: Place): JsonObject {
  const fields = fieldsOf(schema, root);
  return { type: "object", properties: schemasOf(fields), required: [...fields.required] };
}

/** Parts that all hold, in one; the first that says something has the word. */
function mergedAll(schema: JsonObject, parts: readonly JsonObject[], place: Place): GeminiSchema {
  place.size.schemas += parts.length;
  const all = parts.map((part) => followed(part, place));
  const whole = [without(schema, ["allOf"]), ...all.map((part) => part.schema)];
  const merged = Object.fromEntries(whole.toReversed().flatMap((part) => Object.entries(part)));
  return shapeOf(merged, { ...place, refs: [...new Set(all.flatMap((part) => part.place.refs))] });
}

/** What keywords imply where no type is said. */
function impliedTypes(schema: JsonObject): readonly string[] {
  const has = (...keywords: string[]) => keywords.some((keyword) => own(schema, keyword) !== undefined);
  if (has("properties", "required")) return ["object"];
  if (has("items", "prefixItems", "minItems", "maxItems")) return ["array"];
  if (has("pattern", "minLength", "maxLength")) return ["string"];
  return has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") ? ["number"] : [];
}

function isNull(schema: JsonValue): boolean {
  return isObject(schema) && (own(schema, "type") === "null" || own(schema, "const") === null);
}

function isNullable(schema: JsonObject): boolean {
  return (
    own(schema, "nullable") === true ||
    typesOf(schema).includes("null") ||
    listOf(own(schema, "enum")).includes(null) ||
    own(schema, "const") === null ||
    [...listOf(own(schema, "anyOf")), ...listOf(own(schema, "oneOf"))].some(isNull)
  );
}

/** Beside `anyOf` nothing else may stand, so what holds for the whole goes to its first member. */
function withNull(schema: GeminiSchema): GeminiSchema {
  return onWhole(schema, (part) => ({ ...part, nullable: true }));
}

function described(converted: GeminiSchema, schema: JsonObject): GeminiSchema {
  const title = own(schema, "title");
  const texts = [own(schema, "description") ?? title].filter((text) => typeof text === "string" && text !== "");
  if (texts.length === 0) return onWhole(converted, (part) => part);
  return onWhole(converted, (part) => ({
    ...part,
    description: [...texts, part.description].filter(Boolean).join(" "),
  }));
}

function onWhole({ anyOf, ...whole }: GeminiSchema, change: (schema: GeminiSchema) => GeminiSchema): GeminiSchema {
  if (anyOf === undefined) return change(whole);
  const [first, ...others] = anyOf;
  return { anyOf: [change({ ...first, ...whole }), ...others] };
}

function pick(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));
}
