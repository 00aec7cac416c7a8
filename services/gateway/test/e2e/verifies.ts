import { it, type TestFunction } from "vitest";
import { REQUIREMENTS, type RequirementId } from "./requirements.ts";

/** A test that proves a requirement; `what` says which part, where one test does not prove the whole. */
export function verifies(id: RequirementId, test: TestFunction): void;
/** `timeoutMs` for a test that has much to do; unset: the usual one. */
export function verifies(id: RequirementId, what: string, test: TestFunction, timeoutMs?: number): void;
export function verifies(
  id: RequirementId,
  whatOrTest: string | TestFunction,
  test?: TestFunction,
  timeoutMs?: number,
): void {
  const what = typeof whatOrTest === "string" ? `: ${whatOrTest}` : "";
  it(`[${id}] ${REQUIREMENTS[id]}${what}`, test ?? (whatOrTest as TestFunction), timeoutMs);
}
