import { ToolgateError } from "@toolgate/core";

/** Values looked at in one query: a second or so at worst. */
export const MAX_STEPS = 5_000_000;

/** What one query may still cost. */
export interface Budget {
  steps: number;
}

/** @throws ToolgateError RESULT_INVALID when a query has cost too much: descendants of descendants multiply. */
export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) {
    throw new ToolgateError(
      "RESULT_INVALID",
      `A path of the mapping looks at more than ${MAX_STEPS} values of the answer; make it more exact.`,
    );
  }
}
