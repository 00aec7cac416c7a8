import { type JsonObject, type JsonValue, nearNames, type Violation } from "@toolgate/core";
import type { ErrorObject } from "ajv";
import { describeSchema, describeValue, oneOf } from "./describe.ts";
import { escapePointer } from "./walk.ts";

const MAX_VIOLATIONS = 50;

/** ajv's errors as violations: what was expected and what was there, each place once. */
export function toViolations(errors: readonly ErrorObject[]): readonly Violation[] {
  const told = new Map<string, Violation>();
  for (const error of settleChoices(errors)) {
    const violation = toViolation(error);
    told.set(`${violation.path} ${violation.expected}`, violation);
    if (told.size === MAX_VIOLATIONS) break;
  }
  return [...told.values()];
}

/**
 * A failed `anyOf` or `oneOf` comes with the errors of all its branches. Where
 * one branch is clearly meant, because only there no type, constant or choice
 * is wrong, its errors are told; else the choice as a whole.
 */
function settleChoices(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let left: readonly ErrorObject[] = errors.filter(({ keyword }) => keyword !== "if");
  for (const choice of errors) {
    if (choice.keyword !== "anyOf" && choice.keyword !== "oneOf") continue;
    const inside = left.filter((error) => error.schemaPath.startsWith(`${choice.schemaPath}/`));
    if (inside.length === 0) continue;
    const meant = meantBranch(choice, inside);
    left = left.filter((error) =>
      meant === undefined
        ? !inside.includes(error)
        : error !== choice && (!inside.includes(error) || meant.includes(error)),
    );
  }
  return left;
}

const DISCRIMINATING = new Set(["type", "const", "enum"]);

function meantBranch(choice: ErrorObject, inside: readonly ErrorObject[]): readonly ErrorObject[] | undefined {
  const branches = Map.groupBy(
    inside,
    ({ schemaPath }) => schemaPath.slice(choice.schemaPath.length + 1).split("/")[0],
  );
  const depth = choice.instancePath.split("/").length;
  const fitting = [...branches.values()].filter((branch) =>
    branch.every(
      ({ keyword, instancePath }) => !DISCRIMINATING.has(keyword) || instancePath.split("/").length > depth + 1,
    ),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function toViolation(error: ErrorObject): Violation {
  const { instancePath: path, data } = error;
  const known = (WORDS as Readonly<Record<string, Wording | undefined>>)[error.keyword];
  return known?.(error) ?? { path, expected: error.message ?? "another value", got: describeValue(data as JsonValue) };
}

type Wording = (error: ErrorObject) => Violation;

const counted = (what: string, key = "limit"): Wording => {
  return (error) => here(error, `${what.replace("#", String(error.params[key]))}`);
};

const COMPARISONS: Readonly<Record<string, string>> = {
  ">=": "at least",
  "<=": "at most",
  ">": "more than",
  "<": "less than",
};
const compared: Wording = (error) => here(error, `${COMPARISONS[error.params.comparison]} ${error.params.limit}`);

const WORDS = {
  type: (error) => here(error, [error.params.type].flat().join(" or ")),
  enum: (error) => here(error, oneOf(error.params.allowedValues)),
  const: (error) => here(error, JSON.stringify(error.params.allowedValue)),
  minimum: compared,
  maximum: compared,
  exclusiveMinimum: compared,
  exclusiveMaximum: compared,
  multipleOf: counted("a multiple of #", "multipleOf"),
  minLength: counted("at least # characters"),
  maxLength: counted("at most # characters"),
  minItems: counted("at least # items"),
  maxItems: counted("at most # items"),
  minProperties: counted("at least # properties"),
  maxProperties: counted("at most # properties"),
  pattern: (error) => here(error, `text that fits ${String(error.params.pattern).slice(0, 80)}`),
  format: (error) => here(error, `text in the format ${error.params.format}`),
  uniqueItems: (error) => here(error, `different items, but ${error.params.i} and ${error.params.j} are equal`),
  anyOf: choice,
  oneOf: choice,
  not: (error) => here(error, "a value that does not fit the schema under not"),
  required: missing,
  dependentRequired: missing,
  dependencies: missing,
  additionalProperties: (error) => extra(error, error.params.additionalProperty),
  unevaluatedProperties: (error) => extra(error, error.params.unevaluatedProperty),
  "false schema": (error) => here(error, "nothing at this place"),
} as const satisfies Readonly<Record<string, Wording>>;

function here({ instancePath, data }: ErrorObject, expected: string): Violation {
  return { path: instancePath, expected, got: describeValue(data as JsonValue) };
}

function choice(error: ErrorObject): Violation {
  const branches = error.schema as JsonValue[];
  const matched: unknown = error.params.passingSchemas;
  if (Array.isArray(matched))
    return here(error, `a value that fits exactly one of ${branches.length} forms, not several`);
  const forms = [...new Set(branches.slice(0, 5).map(describeSchema))];
  return here(error, forms.join(" or "));
}

function missing(error: ErrorObject): Violation {
  const name: string = error.params.missingProperty;
  const properties = (error.parentSchema as JsonObject | undefined)?.properties as JsonObject | undefined;
  const schema = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return {
    path: `${error.instancePath}/${escapePointer(name)}`,
    expected: `${describeSchema(schema)} (required)`,
    got: "nothing",
  };
}

function extra(error: ErrorObject, name: string): Violation {
  const known = Object.keys(
    ((error.parentSchema as JsonObject | undefined)?.properties as JsonObject | undefined) ?? {},
  );
  const [near] = nearNames(name, known, 1);
  const hint =
    near !== undefined
      ? `; did you mean "${near}"?`
      : known.length === 0
        ? ""
        : `; known: ${known.slice(0, 10).join(", ")}`;
  const value = (error.data as JsonObject)[name];
  return {
    path: `${error.instancePath}/${escapePointer(name)}`,
    expected: `no such property${hint}`,
    got: describeValue(value),
  };
}
