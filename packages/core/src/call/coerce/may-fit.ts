import type { JsonObject, JsonValue } from "../../json/json.ts";
import { ANYTHING, type CoercionPlan, type Items, type Members } from "./plan.ts";
import { ARRAY, OBJECT, typeOf } from "./types.ts";

/** Nested choices could multiply the work without end. */
export interface Budget {
  steps: number;
}

/** Thrown when a budget is used up. */
export class OutOfSteps extends Error {}

/**
 * Whether a value may fit. `false` is certain: the schema refuses the value.
 * @throws OutOfSteps
 */
export function mayFit(plan: CoercionPlan, value: JsonValue, budget: Budget): boolean {
  if (plan === ANYTHING) return true;
  budget.steps -= 1;
  if (budget.steps < 0) throw new OutOfSteps();
  const type = typeOf(value);
  if ((plan.types & type) === 0) return false;
  if (plan.values !== undefined && !isOneOf(value, plan.values)) return false;
  if (type === OBJECT && plan.members !== undefined && !membersMayFit(plan.members, value as JsonObject, budget)) {
    return false;
  }
  if (type === ARRAY && plan.items !== undefined && !itemsMayFit(plan.items, value as JsonValue[], budget)) {
    return false;
  }
  for (const part of plan.parts) if (!mayFit(part, value, budget)) return false;
  for (const branches of plan.choices) if (!anyMayFit(branches, value, budget)) return false;
  return true;
}

/** Whether a value may fit one of these. */
export function anyMayFit(branches: readonly CoercionPlan[], value: JsonValue, budget: Budget): boolean {
  for (const branch of branches) if (mayFit(branch, value, budget)) return true;
  return false;
}

/** Whether type and value are allowed, whatever is inside. */
export function isAllowed({ types, values }: CoercionPlan, value: JsonValue): boolean {
  return (types & typeOf(value)) !== 0 && (values === undefined || isOneOf(value, values));
}

function membersMayFit({ properties, others, required }: Members, object: JsonObject, budget: Budget): boolean {
  for (const name of required) if (!Object.hasOwn(object, name)) return false;
  for (const name of Object.keys(object)) {
    if (!mayFit(properties.get(name) ?? others, object[name] as JsonValue, budget)) return false;
  }
  return true;
}

function itemsMayFit({ first, others }: Items, items: readonly JsonValue[], budget: Budget): boolean {
  const checked = others === ANYTHING ? Math.min(first.length, items.length) : items.length;
  for (let i = 0; i < checked; i += 1) {
    if (!mayFit(first[i] ?? others, items[i] as JsonValue, budget)) return false;
  }
  return true;
}

/** Numbers are compared as doubles, and what has parts by its type alone. */
function isOneOf(value: JsonValue, values: readonly JsonValue[]): boolean {
  const type = typeOf(value);
  if ((type & (ARRAY | OBJECT)) !== 0) return values.some((each) => typeOf(each) === type);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return values.includes(value);
  return values.some(
    (each) => (typeof each === "number" || typeof each === "bigint") && Number(each) === Number(value),
  );
}
