import { isIdempotent, type Tool } from "../tool/tool.ts";
import { ToolgateError } from "./toolgate-error.ts";

/**
 * The error for a call that was delivered, or may have been, and got no
 * answer. For an idempotent tool that is a timeout, which may be tried again;
 * for any other the outcome is unknown, and nobody may.
 *
 * @param what what happened, as the end of "The backend …": "gave no answer within 5 s".
 */
export function lostAnswer(tool: Tool, what: string, cause?: unknown): ToolgateError {
  if (isIdempotent(tool)) {
    return new ToolgateError("BACKEND_TIMEOUT", `The backend of "${tool.name}" ${what}.`, { cause });
  }
  return new ToolgateError(
    "OUTCOME_UNKNOWN",
    `The backend of "${tool.name}" ${what}. The call was delivered and the tool may have run: the outcome is unknown. ` +
      "Look before you call again. (Declare the tool idempotent if a second run is harmless.)",
    { cause },
  );
}
