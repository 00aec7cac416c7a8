import { isListed, mayCall } from "../call/authorize.ts";
import type { Caller } from "../call/call.ts";
import { type ListFilter, listTools } from "./list.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Why a list holds nothing for its reader:
 * - `no_tools`: there are no tools at all;
 * - `no_match`: no tool fits the filters;
 * - `unavailable`: tools fit, but none of them can be used now;
 * - `not_listed`: tools fit and may be called, but the reader's rules list none of them;
 * - `not_permitted`: tools fit, but the reader may call none of them.
 */
export type EmptyReason = "no_tools" | "no_match" | "unavailable" | "not_listed" | "not_permitted";

/** Why `filter` gives this caller an empty list. Only for lists that are empty: it looks at every tool. */
export function emptyReasonOf(snapshot: Snapshot, filter: ListFilter, caller: Caller): EmptyReason {
  if (snapshot.tools.size === 0) return "no_tools";
  const fitting = listTools(snapshot, { ...filter, includeUnavailable: true });
  if (fitting.some(({ tool }) => isListed(caller, tool))) return "unavailable";
  if (fitting.some(({ tool }) => mayCall(caller, tool))) return "not_listed";
  // Whom forbidden tools are hidden from must not find them by asking for their names.
  if (caller.access?.hideForbidden === true) return mayCallAny(snapshot, caller) ? "no_match" : "not_permitted";
  return fitting.length === 0 ? "no_match" : "not_permitted";
}

function mayCallAny(snapshot: Snapshot, caller: Caller): boolean {
  return [...snapshot.tools.values()].some(({ tool }) => mayCall(caller, tool));
}
