import { type $ZodIssue, type $ZodType, safeParseAsync } from "zod/v4/core";
import { pointerStep } from "../json/json.ts";
import { ToolFailure } from "./tool-failure.ts";

/** At most so many places are named in one failure. */
const MAX_ISSUES = 20;

/**
 * What Zod makes of the arguments.
 *
 * @throws ToolFailure INVALID_ARGUMENT with the path of each violation.
 */
export async function checkedArguments(schema: $ZodType, args: unknown): Promise<unknown> {
  const parsed = await safeParseAsync(schema, args);
  if (parsed.success) return parsed.data;
  throw new ToolFailure("INVALID_ARGUMENT", `The arguments do not fit. ${wordsOf(parsed.error.issues)}`);
}

/**
 * What Zod makes of a result.
 *
 * @throws ToolFailure RESULT_INVALID with the path of each violation.
 */
export async function checkedResult(schema: $ZodType, result: unknown): Promise<unknown> {
  const parsed = await safeParseAsync(schema, result);
  if (parsed.success) return parsed.data;
  throw new ToolFailure("RESULT_INVALID", `The tool's result is not what it declares. ${wordsOf(parsed.error.issues)}`);
}

function wordsOf(issues: readonly $ZodIssue[]): string {
  const more = issues.length > MAX_ISSUES ? ` And ${issues.length - MAX_ISSUES} more.` : "";
  return `${issues.slice(0, MAX_ISSUES).map(issueInWords).join("; ")}.${more}`;
}

function issueInWords(issue: $ZodIssue): string {
  const path = issue.path.map(pointerStep).join("");
  return `${path === "" ? "at the top" : path}: ${issue.message}`;
}
