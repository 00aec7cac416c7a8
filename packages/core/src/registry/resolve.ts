import { isUsable } from "../tool/availability.ts";
import { toolHealth } from "./health.ts";
import type { Snapshot, ToolEntry, ToolsetEntry } from "./snapshot.ts";

const sortedNames = new WeakMap<ReadonlyMap<string, ToolEntry>, readonly string[]>();

/** All names, in the order of their UTF-16 code units: the same order everywhere. */
export function toolNames(snapshot: Snapshot): readonly string[] {
  let names = sortedNames.get(snapshot.tools);
  if (names === undefined) {
    names = [...snapshot.tools.keys()].sort();
    sortedNames.set(snapshot.tools, names);
  }
  return names;
}

/** In the order of their names. */
export function toolsetsByName(snapshot: Snapshot): readonly ToolsetEntry[] {
  return [...snapshot.toolsets.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A toolset by name or alias; a name that exists beats an alias. */
export function resolveToolset(snapshot: Snapshot, nameOrAlias: string): ToolsetEntry | undefined {
  const direct = snapshot.toolsets.get(nameOrAlias);
  if (direct !== undefined) return direct;
  const target = snapshot.aliases.get(nameOrAlias);
  return target === undefined ? undefined : snapshot.toolsets.get(target);
}

export function resolveTool(snapshot: Snapshot, name: string): ToolEntry | undefined {
  return snapshot.tools.get(name);
}

/** Tools that offer an ability, usable ones first, each group by name. */
export function resolveCapability(snapshot: Snapshot, capability: string): readonly ToolEntry[] {
  const offers: ToolEntry[] = [];
  for (const name of toolNames(snapshot)) {
    const entry = snapshot.tools.get(name) as ToolEntry;
    if (entry.tool.capabilities.includes(capability)) offers.push(entry);
  }
  const usable = new Set(offers.filter((entry) => isUsable(toolHealth(snapshot, entry))));
  return [...usable, ...offers.filter((entry) => !usable.has(entry))];
}
