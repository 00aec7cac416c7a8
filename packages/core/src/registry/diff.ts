import type { Health } from "../tool/availability.ts";
import { toolHealth, toolsetHealth } from "./health.ts";
import type { Snapshot, ToolEntry, ToolsetEntry } from "./snapshot.ts";

/** What one toolset went through between two snapshots. */
export type ToolsetEvent =
  | { readonly type: "added"; readonly toolset: string }
  | { readonly type: "removed"; readonly toolset: string }
  | {
      readonly type: "changed" | "health";
      readonly toolset: string;
      /** Names of tools that are new or different, sorted. */
      readonly changedTools: readonly string[];
      /** Names of tools that are gone, sorted; empty for `health`. */
      readonly removedTools: readonly string[];
    };

/**
 * Everything a reader of `before` needs to hear to know `after`: one event a
 * toolset, by name, removals first. Applying them gives `after`, also when
 * many generations lie between.
 */
export function diffToolsets(before: Snapshot, after: Snapshot): readonly ToolsetEvent[] {
  const events: ToolsetEvent[] = [];
  for (const name of [...before.toolsets.keys()].sort()) {
    if (!after.toolsets.has(name)) events.push({ type: "removed", toolset: name });
  }
  for (const name of [...after.toolsets.keys()].sort()) {
    const event = diffToolset(name, before, after);
    if (event !== undefined) events.push(event);
  }
  return events;
}

function diffToolset(name: string, before: Snapshot, after: Snapshot): ToolsetEvent | undefined {
  const is = after.toolsets.get(name) as ToolsetEntry;
  const was = before.toolsets.get(name);
  if (was === undefined) return { type: "added", toolset: name };
  const changedTools = is.tools.filter((tool) => before.tools.get(tool) !== after.tools.get(tool));
  const removedTools = was === is ? [] : was.tools.filter((tool) => after.tools.get(tool)?.tool.toolset !== name);
  if (was !== is || changedTools.length > 0) {
    const changed = new Set(changedTools);
    const healthChanged = is.tools.filter((tool) => !changed.has(tool) && toolHealthChanged(tool, before, after));
    return { type: "changed", toolset: name, changedTools: [...changedTools, ...healthChanged].sort(), removedTools };
  }
  if (sameHealthInputs(before, after)) return undefined;
  const sick = is.tools.filter((tool) => toolHealthChanged(tool, before, after));
  if (sick.length === 0 && sameHealth(toolsetHealth(before, was), toolsetHealth(after, is))) return undefined;
  return { type: "health", toolset: name, changedTools: sick, removedTools: [] };
}

function sameHealthInputs(before: Snapshot, after: Snapshot): boolean {
  return (
    before.health === after.health &&
    before.disabledTools === after.disabledTools &&
    before.disabledToolsets === after.disabledToolsets
  );
}

function toolHealthChanged(name: string, before: Snapshot, after: Snapshot): boolean {
  const was = before.tools.get(name);
  return (
    was !== undefined && !sameHealth(toolHealth(before, was), toolHealth(after, after.tools.get(name) as ToolEntry))
  );
}

function sameHealth(a: Health, b: Health): boolean {
  return a.state === b.state && a.reason === b.reason;
}
