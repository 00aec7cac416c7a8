import { type DefinitionProblem, escapePointer, isJsonObject, type JsonObject, type JsonValue } from "@toolgate/core";
import { describeValue } from "./describe.ts";
import type { Dialect } from "./dialects.ts";
import type { Subschema } from "./walk.ts";

interface Form {
  readonly expected: string;
  readonly fits: (value: JsonValue) => boolean;
}

const isSchema = (value: JsonValue) => typeof value === "boolean" || isJsonObject(value);
const isListOf = (fits: (item: JsonValue) => boolean) => (value: JsonValue) =>
  Array.isArray(value) && value.every(fits);
const isMapOf = (fits: (item: JsonValue) => boolean) => (value: JsonValue) =>
  isJsonObject(value) && Object.values(value).every(fits);
const isText = (value: JsonValue) => typeof value === "string";
const isNumber = (value: JsonValue) => typeof value === "number" || typeof value === "bigint";
const isCount = (value: JsonValue) =>
  (typeof value === "bigint" || Number.isInteger(value)) && (value as number | bigint) >= 0;
const isSetOfTexts = (value: JsonValue) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

const text: Form = { expected: "string", fits: isText };
const number: Form = { expected: "number", fits: isNumber };
const count: Form = { expected: "whole number of 0 or more", fits: isCount };
const flag: Form = { expected: "true or false", fits: (value) => typeof value === "boolean" };
const schema: Form = { expected: "schema (an object, true or false)", fits: isSchema };
const schemaList: Form = {
  expected: "array of at least one schema",
  fits: (value) => isListOf(isSchema)(value) && (value as []).length > 0,
};
const schemaMap: Form = { expected: "object of schemas", fits: isMapOf(isSchema) };
const names: Form = { expected: "array of different strings", fits: isSetOfTexts };
const positive: Form = {
  expected: "number above 0",
  fits: (value) => isNumber(value) && (value as number | bigint) > 0,
};

/**
 * The form of each keyword's value, as the meta-schemas of draft-07, 2019-09
 * and 2020-12 say it (JSON Schema Core and Validation). Written down here
 * because checking by the meta-schema itself costs a hundred times as much,
 * and names no place that people recognise.
 */
const FORMS: Readonly<Record<string, Form>> = {
  $anchor: text,
  $comment: text,
  $defs: schemaMap,
  $dynamicAnchor: text,
  $dynamicRef: text,
  $id: text,
  $recursiveAnchor: flag,
  $recursiveRef: text,
  $ref: text,
  $schema: text,
  additionalItems: schema,
  additionalProperties: schema,
  allOf: schemaList,
  anyOf: schemaList,
  contains: schema,
  contentEncoding: text,
  contentMediaType: text,
  contentSchema: schema,
  definitions: schemaMap,
  dependencies: {
    expected: "object of schemas or arrays of strings",
    fits: isMapOf((item) => isSchema(item) || isSetOfTexts(item)),
  },
  dependentRequired: { expected: "object of arrays of strings", fits: isMapOf(isSetOfTexts) },
  dependentSchemas: schemaMap,
  deprecated: flag,
  description: text,
  else: schema,
  enum: { expected: "array", fits: Array.isArray },
  examples: { expected: "array", fits: Array.isArray },
  exclusiveMaximum: number,
  exclusiveMinimum: number,
  format: text,
  if: schema,
  items: schema,
  maxContains: count,
  maximum: number,
  maxItems: count,
  maxLength: count,
  maxProperties: count,
  minContains: count,
  minimum: number,
  minItems: count,
  minLength: count,
  minProperties: count,
  multipleOf: positive,
  not: schema,
  oneOf: schemaList,
  pattern: text,
  patternProperties: schemaMap,
  prefixItems: schemaList,
  properties: schemaMap,
  propertyNames: schema,
  readOnly: flag,
  required: names,
  // biome-ignore lint/suspicious/noThenProperty: it is the keyword's name
  then: schema,
  title: text,
  type: {
    expected: "string or array of different strings",
    fits: (value) => isText(value) || (isSetOfTexts(value) && (value as []).length > 0),
  },
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
  uniqueItems: flag,
  writeOnly: flag,
};

/** Before 2020-12, `items` had also the meaning that `prefixItems` has now. */
const ITEMS_OF_OLD: Form = {
  expected: "schema or array of schemas",
  fits: (value) => isSchema(value) || isListOf(isSchema)(value),
};

/** Keywords of one schema whose values have the wrong form. Unknown keywords may hold anything. */
export function inspectKeywords({ path, schema: keywords }: Subschema, dialect: Dialect): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  for (const key of Object.keys(keywords)) {
    const value = (keywords as JsonObject)[key] as JsonValue;
    const form = formOf(key, dialect);
    if (form === undefined || form.fits(value)) continue;
    const message = `expected ${form.expected}, got ${describeValue(value)}${hintFor(key, value)}`;
    problems.push({ path: `${path}/${escapePointer(key)}`, message });
  }
  return problems;
}

function formOf(key: string, dialect: Dialect): Form | undefined {
  if (key === "items" && dialect !== "2020-12") return ITEMS_OF_OLD;
  return Object.hasOwn(FORMS, key) ? FORMS[key] : undefined;
}

/** Mistakes that come from an older dialect, or from another place in the schema. */
function hintFor(key: string, value: JsonValue): string {
  if (key === "items" && Array.isArray(value)) {
    return '; in 2020-12 a list of schemas is "prefixItems" (or name draft-07 as "$schema")';
  }
  if (/^exclusiveM(?:in|ax)imum$/.test(key) && typeof value === "boolean") {
    return "; draft-04 wrote it as true or false beside the bound, today it is the bound itself";
  }
  if (key === "required" && typeof value === "boolean") {
    return "; list the names of required properties in the object that has them";
  }
  return "";
}
