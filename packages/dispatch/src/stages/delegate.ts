import type { DelegatedCalls, Outcome, ReadyCall } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/**
 * Hands tools back that need the agent's own state: with arguments that are
 * complete and checked. Such a call is remembered, so that its caller may say
 * how it ended; unset: nobody asks.
 */
export function delegate(delegated?: DelegatedCalls): Stage<ReadyCall, Outcome> {
  return {
    name: "delegate",
    run(call, next) {
      if (call.entry.tool.execution !== "client") return next(call);
      return handBack(call, delegated);
    },
  };
}

async function handBack(call: ReadyCall, delegated: DelegatedCalls | undefined): Promise<Outcome> {
  const { entry, caller, callId, sessionId = "", args, argsText } = call;
  const { name: tool, toolset } = entry.tool;
  // Before the answer goes out: its reader may report at once.
  await delegated?.add({ caller: caller.id, callId, sessionId, tool, toolset });
  return { kind: "delegated", data: argsText === undefined ? { value: args } : { value: args, text: argsText } };
}
