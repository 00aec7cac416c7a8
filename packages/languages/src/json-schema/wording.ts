import {
  escapePointer,
  excerpt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  nearNames,
  type Violation,
  valueAt,
} from "@toolgate/core";
import type { ErrorObject } from "ajv";
import { asText, describeForms, describeRange, describeSchema, describeValue, MAX_EXCERPT, oneOf } from "./describe.ts";
import { equalItems } from "./validator.ts";
import type { Checked } from "./violations.ts";

type Wording = (error: ErrorObject, checked: Checked) => Violation;

/** One of ajv's errors in words that a model can act on. */
export function toViolation(error: ErrorObject, checked: Checked): Violation {
  const known = Object.hasOwn(WORDS, error.keyword) ? WORDS[error.keyword] : undefined;
  return known?.(error, checked) ?? here(error, checked, error.message ?? "another value");
}

const EXAMPLES: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T09:30:00Z",
  duration: "PT1H30M",
  email: "name@example.com",
  time: "09:30:00Z",
  uri: "https://example.com/page",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};

const ofParent: Wording = (error, checked) =>
  here(error, checked, describeSchema(error.parentSchema as JsonObject, checked.schema));

const bound: Wording = (error, checked) => here(error, checked, describeRange(error.parentSchema as JsonObject));

function counted(what: string, least: string, most: string): Wording {
  return (error, checked) => {
    const { [least]: minimum = null, [most]: maximum = null } = error.parentSchema as JsonObject;
    const range = describeRange({ minimum, maximum });
    return here(
      error,
      checked,
      `${range === "" ? `at most ${error.params.limit ?? error.params.len}` : range} ${what}`,
    );
  };
}

const characters = counted("characters", "minLength", "maxLength");
const items = counted("items", "minItems", "maxItems");
const atMostItems: Wording = (error, checked) =>
  here(error, checked, `at most ${error.params.limit ?? error.params.len} items`);
const members = counted("properties", "minProperties", "maxProperties");

const WORDS: Readonly<Record<string, Wording>> = {
  type: ofParent,
  enum: (error, checked) => here(error, checked, oneOf(error.params.allowedValues)),
  const: (error, checked) => here(error, checked, asText(error.params.allowedValue)),
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: (error, checked) => here(error, checked, `a multiple of ${error.params.multipleOf}`),
  minLength: characters,
  maxLength: characters,
  minItems: items,
  maxItems: items,
  items: atMostItems,
  additionalItems: atMostItems,
  unevaluatedItems: atMostItems,
  minProperties: members,
  maxProperties: members,
  pattern: (error, checked) => here(error, checked, `text that fits ${String(error.params.pattern).slice(0, 80)}`),
  format: (error, checked) => here(error, checked, formatWords(String(error.params.format))),
  uniqueItems: (error, checked) => {
    const [earlier, later] = equalItems(error.data as JsonValue[]) ?? [];
    return here(error, checked, `different items, but ${earlier} and ${later} are equal`);
  },
  contains: (error, checked) => {
    const { minContains: least, maxContains: most } = error.params;
    const range = describeRange({ minimum: least ?? null, maximum: most ?? null });
    return here(error, checked, `${range} items that are ${describeSchema(error.schema as JsonValue, checked.schema)}`);
  },
  anyOf: choice,
  oneOf: choice,
  not: (error, checked) => here(error, checked, "a value that does not fit the schema under not"),
  required: missing,
  dependentRequired: missing,
  dependencies: missing,
  additionalProperties: (error, checked) => extra(error, checked, error.params.additionalProperty),
  unevaluatedProperties: (error, checked) => extra(error, checked, error.params.unevaluatedProperty),
  "false schema": (error, checked) => here(error, checked, "nothing at this place"),
};

/** At the error's place; or at a property, where its name is what is wrong. */
function here(error: ErrorObject, { value }: Checked, expected: string): Violation {
  const { instancePath: path, propertyName } = error;
  if (propertyName !== undefined) {
    const place = `${path}/${escapePointer(propertyName)}`;
    return { path: place, expected: `a property name that is ${expected}`, got: describeValue(propertyName) };
  }
  return { path, expected, got: describeValue(valueAt(value, path)) };
}

function formatWords(format: string): string {
  const example = Object.hasOwn(EXAMPLES, format) ? `, such as "${EXAMPLES[format]}"` : "";
  return `text in the format ${excerpt(format, MAX_EXCERPT)}${example}`;
}

function choice(error: ErrorObject, checked: Checked): Violation {
  const branches = error.schema as JsonValue[];
  const matched: unknown = error.params.passingSchemas;
  if (Array.isArray(matched)) {
    return here(error, checked, `a value that fits exactly one of ${branches.length} forms, not several`);
  }
  return here(error, checked, describeForms(branches, checked.schema));
}

function missing(error: ErrorObject, { schema: root }: Checked): Violation {
  const name: string = error.params.missingProperty;
  const because: unknown = error.params.property;
  const properties = propertiesOf(error);
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const condition = typeof because === "string" ? `required where ${JSON.stringify(because)} is given` : "required";
  return {
    path: `${error.instancePath}/${escapePointer(name)}`,
    expected: `${describeSchema(schema, root)} (${condition})`,
    got: "nothing",
  };
}

function extra(error: ErrorObject, { value }: Checked, name: string): Violation {
  const path = `${error.instancePath}/${escapePointer(name)}`;
  const known = Object.keys(propertiesOf(error));
  const [near] = nearNames(name, known, 1);
  const hint = near === undefined ? known.slice(0, 10).join(", ") : "";
  const help = near !== undefined ? `; did you mean "${near}"?` : hint === "" ? "" : `; known: ${hint}`;
  return { path, expected: `no such property${help}`, got: describeValue(valueAt(value, path)) };
}

function propertiesOf({ parentSchema }: ErrorObject): JsonObject {
  const { properties } = (parentSchema ?? {}) as JsonObject;
  return isJsonObject(properties) ? properties : {};
}
