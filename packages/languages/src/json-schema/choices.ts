import { isJsonObject, type JsonObject, type JsonValue } from "@toolgate/core";
import type { ErrorObject } from "ajv";
import { reachable } from "./walk.ts";

/** Errors that add nothing to those that come with them. */
const ECHOES = new Set(["if", "propertyNames"]);
/** Keywords whose own error says it all; those of the schemas below are details. */
const SUMMARIES = new Set(["contains", "anyOf", "oneOf"]);

/**
 * A failed `anyOf` or `oneOf` comes with the errors of all its branches. Where
 * one branch is clearly meant, because only there no type, constant or choice
 * is wrong, its errors are told; else the choice as a whole.
 */
export function settleChoices(errors: readonly ErrorObject[], root: JsonObject | boolean): Errors {
  if (!isJsonObject(root)) return errors;
  const parts = new Map<JsonValue, ReadonlySet<unknown>>();
  const partsOf = (schema: JsonValue) => {
    const known = parts.get(schema) ?? reachable(root, [schema]);
    parts.set(schema, known);
    return known;
  };
  let left: Errors = errors.filter(({ keyword }) => !ECHOES.has(keyword));
  for (const choice of left.filter(({ keyword }) => SUMMARIES.has(keyword))) {
    const end = left.indexOf(choice);
    if (end !== -1) left = settle(choice, left, branchesOf(choice, left.slice(0, end), partsOf));
  }
  return left;
}

type Errors = readonly ErrorObject[];

/** Leaves either the choice itself, or what its branches have to tell instead. */
function settle(choice: ErrorObject, errors: Errors, branches: readonly Errors[]): Errors {
  const isChoice = choice.keyword !== "contains";
  const instead = isChoice ? (meantBranch(choice, branches) ?? commonProperty(choice, branches)) : undefined;
  const inside = new Set(branches.flat());
  const at = errors.indexOf(choice);
  const before = errors.slice(0, at).filter((error) => !inside.has(error));
  return [...before, ...(instead ?? [choice]), ...errors.slice(at + 1)];
}

/** The errors of each branch: those of its schemas, at the choice's place or below, told before it. */
function branchesOf(
  { schema: branches, instancePath: place }: ErrorObject,
  before: Errors,
  partsOf: (schema: JsonValue) => ReadonlySet<unknown>,
): readonly Errors[] {
  const below = before.filter(({ instancePath }) => instancePath === place || instancePath.startsWith(`${place}/`));
  if (below.length === 0) return [];
  return [branches as JsonValue | JsonValue[]].flat().map((branch) => {
    const parts = partsOf(branch);
    return below.filter(
      ({ parentSchema, schema }) => parts.has(parentSchema) || (schema === false && branch === false),
    );
  });
}

/** What rules a branch out at the choice's own place, and at a property right below it. */
const RULED_OUT_HERE = new Set(["type", "const", "enum", "anyOf", "oneOf"]);
const RULED_OUT_BELOW = new Set(["const", "enum"]);

/** The one branch that is not ruled out: it has only errors below what tells the branches apart. */
function meantBranch(choice: ErrorObject, branches: readonly Errors[]): Errors | undefined {
  const rulesOut = ({ keyword, instancePath }: ErrorObject) => {
    const below = depthOf(instancePath) - depthOf(choice.instancePath);
    return (below === 0 && RULED_OUT_HERE.has(keyword)) || (below === 1 && RULED_OUT_BELOW.has(keyword));
  };
  const fitting = branches.filter((errors) => errors.length > 0 && !errors.some(rulesOut));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Where every branch wants something else of the same property, such as `kind`: one error for them all. */
function commonProperty(choice: ErrorObject, branches: readonly Errors[]): Errors | undefined {
  const asked = branches.map((errors) =>
    errors.filter(({ keyword, instancePath }) => keyword in WANTS && instancePath !== choice.instancePath),
  );
  const [first, ...others] = asked;
  const shared = first?.find(({ instancePath }) =>
    others.every((errors) => errors.some((error) => error.instancePath === instancePath)),
  );
  if (shared === undefined || others.length === 0) return undefined;
  const { instancePath } = shared;
  const schema = asked.flatMap((errors) => errors.find((error) => error.instancePath === instancePath)?.parentSchema);
  return [{ ...shared, keyword: "anyOf", params: {}, schema }];
}

const WANTS = { type: true, const: true, enum: true };

function depthOf(instancePath: string): number {
  return instancePath.split("/").length;
}
