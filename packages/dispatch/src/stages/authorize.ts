import { missingScopes, type Outcome, type ResolvedCall, ToolgateError } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** Refuses a caller that lacks a scope of the tool. */
export function authorize(): Stage<ResolvedCall, Outcome> {
  return {
    name: "authorize",
    run(call, next) {
      const { tool } = call.entry;
      const missing = missingScopes(call.caller, tool);
      if (missing.length === 0) return next(call);
      throw new ToolgateError(
        "PERMISSION_DENIED",
        `The caller "${call.caller.id}" may not use "${tool.name}": it lacks ${missing.join(", ")}.`,
      );
    },
  };
}
