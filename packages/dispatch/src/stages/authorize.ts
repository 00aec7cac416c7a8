import { type Outcome, type Refusal, type ResolvedCall, refusalOf, ToolgateError } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** Refuses a caller that may not call the tool. */
export function authorize(): Stage<ResolvedCall, Outcome> {
  return {
    name: "authorize",
    run(call, next) {
      const { tool } = call.entry;
      const refusal = refusalOf(call.caller, tool);
      if (refusal === undefined) return next(call);
      throw new ToolgateError(
        "PERMISSION_DENIED",
        `The caller "${call.caller.id}" may not use "${tool.name}": ${reasonOf(refusal)}.`,
      );
    },
  };
}

function reasonOf(refusal: Refusal): string {
  return refusal.reason === "scopes" ? `it lacks ${refusal.missing.join(", ")}` : "its rules do not allow it";
}
