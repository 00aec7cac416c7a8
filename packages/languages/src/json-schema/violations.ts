import type { JsonObject, JsonValue, Violation } from "@toolgate/core";
import type { ErrorObject } from "ajv";
import { settleChoices } from "./choices.ts";
import { toViolation } from "./wording.ts";

const MAX_VIOLATIONS = 50;
/** Sorting out choices takes time in proportion to errors times choices. */
const MAX_ERRORS = 2_000;

/** What was checked. */
export interface Checked {
  /** As ajv got it: errors point into it by identity. */
  readonly schema: JsonObject | boolean;
  /** As the caller sent it, with every digit. */
  readonly value: JsonValue;
}

/** ajv's errors as violations: what was expected and what was there, each place once. */
export function toViolations(errors: readonly ErrorObject[], checked: Checked): readonly Violation[] {
  const told = new Map<string, Violation>();
  for (const error of settleChoices(errors.slice(0, MAX_ERRORS), checked.schema)) {
    const violation = toViolation(error, checked);
    told.set(`${violation.path}\n${violation.expected}`, violation);
    if (told.size === MAX_VIOLATIONS) break;
  }
  return [...told.values()];
}
