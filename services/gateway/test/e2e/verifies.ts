import { it, type TestFunction } from "vitest";
import { REQUIREMENTS, type RequirementId } from "./requirements.ts";

/** A test that proves a requirement; `what` says which part, where one test does not prove the whole. */
export function verifies(id: RequirementId, test: TestFunction): void;
export function verifies(id: RequirementId, what: string, test: TestFunction): void;
export function verifies(id: RequirementId, whatOrTest: string | TestFunction, test?: TestFunction): void {
  const what = typeof whatOrTest === "string" ? `: ${whatOrTest}` : "";
  it(`[${id}] ${REQUIREMENTS[id]}${what}`, test ?? (whatOrTest as TestFunction));
}
