import type { ToolDefinition } from "../tool/tool.ts";
import type { Caller } from "./call.ts";

/** The scopes of the tool that the caller lacks; empty where it may call. Listing and calling ask the same. */
export function missingScopes(caller: Caller, tool: Pick<ToolDefinition, "scopes">): readonly string[] {
  const { scopes } = caller;
  return scopes === undefined ? [] : tool.scopes.filter((scope) => !scopes.has(scope));
}

export function mayCall(caller: Caller, tool: Pick<ToolDefinition, "scopes">): boolean {
  return missingScopes(caller, tool).length === 0;
}
