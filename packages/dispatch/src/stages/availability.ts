import { isUsable, type Outcome, type ResolvedCall, ToolgateError, toolHealth } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** Refuses a tool whose check fails or that is switched off, without reaching its backend. */
export function availability(): Stage<ResolvedCall, Outcome> {
  return {
    name: "availability",
    run(call, next) {
      const health = toolHealth(call.snapshot, call.entry);
      if (isUsable(health)) return next(call);
      throw new ToolgateError(
        "TOOL_UNAVAILABLE",
        `The tool "${call.entry.tool.name}" cannot be used now: ${health.reason}.`,
      );
    },
  };
}
