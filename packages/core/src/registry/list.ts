import { isUsable } from "../tool/availability.ts";
import { toolHealth } from "./health.ts";
import { resolveToolset, toolNames } from "./resolve.ts";
import type { Snapshot, ToolEntry } from "./snapshot.ts";

export interface ListFilter {
  /** Name or alias. */
  readonly toolset?: string;
  readonly name?: string;
  readonly capability?: string;
  readonly tag?: string;
  /** Words; best match first. */
  readonly query?: string;
  readonly includeUnavailable: boolean;
}

/** All tools that fit, in a fixed order: by rank for a query, else by name. */
export function listTools(snapshot: Snapshot, filter: ListFilter): readonly ToolEntry[] {
  const entries = candidates(snapshot, filter).filter(
    (entry) =>
      (filter.capability === undefined || entry.tool.capabilities.includes(filter.capability)) &&
      (filter.tag === undefined || entry.tool.tags.includes(filter.tag)) &&
      (filter.includeUnavailable || isUsable(toolHealth(snapshot, entry))),
  );
  return filter.query === undefined ? entries : rank(entries, filter.query);
}

function candidates(snapshot: Snapshot, filter: ListFilter): readonly ToolEntry[] {
  const toolset = filter.toolset === undefined ? undefined : resolveToolset(snapshot, filter.toolset);
  if (filter.toolset !== undefined && toolset === undefined) return [];
  const names = filter.name !== undefined ? [filter.name] : (toolset?.tools ?? toolNames(snapshot));
  return names
    .map((name) => snapshot.tools.get(name))
    .filter(
      (entry): entry is ToolEntry =>
        entry !== undefined && (toolset === undefined || entry.tool.toolset === toolset.name),
    );
}

/** Every word must occur. A word in the name weighs more than one in the title, tags or description. */
function rank(entries: readonly ToolEntry[], query: string): readonly ToolEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

function scoreOf({ tool }: ToolEntry, words: readonly string[]): number {
  const labels = [tool.title, ...tool.tags, ...tool.capabilities].join("\n").toLowerCase();
  const name = tool.name.toLowerCase();
  const description = tool.description.toLowerCase();
  let total = 0;
  for (const word of words) {
    const score =
      (name === word ? 8 : name.includes(word) ? 4 : 0) +
      (labels.includes(word) ? 2 : 0) +
      (description.includes(word) ? 1 : 0);
    if (score === 0) return 0;
    total += score;
  }
  return words.length === 0 ? 1 : total;
}
