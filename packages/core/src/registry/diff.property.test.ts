import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { registryAfter } from "../../test/builders.ts";
import { commands } from "../../test/registry-commands.ts";
import type { Health } from "../tool/availability.ts";
import { applyCommand } from "./apply.ts";
import { diffToolsets, type ToolsetEvent } from "./diff.ts";
import { toolHealth, toolsetHealth } from "./health.ts";
import { EMPTY_SNAPSHOT, type Snapshot, type ToolEntry } from "./snapshot.ts";

/** What a reader knows of a toolset. */
interface Known {
  readonly aliases: readonly string[];
  readonly health: string;
  readonly tools: Readonly<Record<string, string>>;
}

const said = ({ state, reason }: Health) => `${state}: ${reason}`;

function knownTool(snapshot: Snapshot, name: string): string {
  const entry = snapshot.tools.get(name) as ToolEntry;
  return JSON.stringify([entry, said(toolHealth(snapshot, entry))]);
}

function known(snapshot: Snapshot): Map<string, Known> {
  const all = [...snapshot.toolsets.values()].map((toolset): [string, Known] => {
    const tools = Object.fromEntries(toolset.tools.map((tool) => [tool, knownTool(snapshot, tool)]));
    return [toolset.name, { aliases: toolset.aliases, health: said(toolsetHealth(snapshot, toolset)), tools }];
  });
  return new Map(all);
}

/** What a reader makes of an event; it sees no more of `after` than the event names. */
function hear(reader: Map<string, Known>, event: ToolsetEvent, after: Snapshot): void {
  const now = known(after).get(event.toolset);
  if (event.type === "removed" || now === undefined) {
    reader.delete(event.toolset);
  } else if (event.type === "added") {
    reader.set(event.toolset, now);
  } else {
    const kept = Object.entries(reader.get(event.toolset)?.tools ?? {}).filter(
      ([name]) => !event.removedTools.includes(name),
    );
    const changed = event.changedTools.map((name) => [name, knownTool(after, name)] as const);
    reader.set(event.toolset, { ...now, tools: Object.fromEntries([...kept, ...changed]) });
  }
}

describe("diffToolsets", () => {
  it("tells a reader all it needs, however many generations lie between", () => {
    const pair = fc.tuple(commands, fc.nat({ max: 25 }));
    fc.assert(
      fc.property(pair, ([history, cut]) => {
        const before = registryAfter(...history.slice(0, cut));
        const after = registryAfter(...history);
        const reader = known(before);
        for (const event of diffToolsets(before, after)) hear(reader, event, after);
        expect(reader).toEqual(known(after));
      }),
      { numRuns: 300 },
    );
  });

  it("says nothing when nothing that can be listed changed", () => {
    fc.assert(
      fc.property(commands, (history) => {
        let before = EMPTY_SNAPSHOT;
        for (const command of history) {
          const after = applyCommand(before, command).snapshot;
          if (after.generation === before.generation) expect(diffToolsets(before, after)).toEqual([]);
          before = after;
        }
      }),
    );
  });
});
