import type { Outcome, ReadyCall } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** Hands tools back that need the agent's own state: with arguments that are complete and checked. */
export function delegate(): Stage<ReadyCall, Outcome> {
  return {
    name: "delegate",
    run(call, next) {
      if (call.entry.tool.execution !== "client") return next(call);
      const data = call.argsText === undefined ? { value: call.args } : { value: call.args, text: call.argsText };
      return Promise.resolve({ kind: "delegated", data });
    },
  };
}
