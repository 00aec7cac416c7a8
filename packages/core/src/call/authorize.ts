import type { ToolDefinition } from "../tool/tool.ts";
import type { RuledTool } from "./access.ts";
import type { Caller } from "./call.ts";

/** What permission is decided on: the tool itself, once its name, alias or capability is resolved. */
export type GuardedTool = RuledTool & Pick<ToolDefinition, "scopes">;

/** Why a caller may not call a tool. */
export type Refusal =
  | { readonly reason: "scopes"; readonly missing: readonly string[] }
  /** The caller's own rules do not allow it. */
  | { readonly reason: "rules" };

/** The one decision: calling, listing and watching ask it, so they never differ. `undefined` where the caller may. */
export function refusalOf(caller: Caller, tool: GuardedTool): Refusal | undefined {
  const { scopes, access } = caller;
  if (scopes !== undefined && !tool.scopes.every((scope) => scopes.has(scope))) {
    return { reason: "scopes", missing: tool.scopes.filter((scope) => !scopes.has(scope)) };
  }
  return access === undefined || access.permits(tool) ? undefined : { reason: "rules" };
}

export function mayCall(caller: Caller, tool: GuardedTool): boolean {
  return refusalOf(caller, tool) === undefined;
}

/** Whether lists, watches and suggestions name the tool to this caller: only what it may call, and of that what its rules list. */
export function isListed(caller: Caller, tool: GuardedTool): boolean {
  return mayCall(caller, tool) && (caller.access === undefined || caller.access.lists(tool));
}

/** Whether the caller is to hear of the tool what it hears of one that does not exist. */
export function isConcealed(caller: Caller, tool: GuardedTool): boolean {
  return caller.access?.hideForbidden === true && !mayCall(caller, tool);
}

/** Equal for callers that may call, and see, the same; the empty text for those without bounds. */
export function accessKey({ scopes, access }: Caller): string {
  if (scopes === undefined && access === undefined) return "";
  return JSON.stringify([scopes === undefined ? null : [...scopes].sort(), access?.key ?? null]);
}
