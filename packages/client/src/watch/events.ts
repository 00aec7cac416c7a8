import type { WatchToolsetsResponse } from "@toolgate/contract";
import { type ListedTool, type ListedToolset, toolOf, toolsetOf } from "../listing.ts";

/** What happened to the toolsets that are watched; all of them in order give the gateway's list. */
export type ToolsetEvent =
  | ToolsetAddedEvent
  | ToolsetChangedEvent
  | ToolsetRemovedEvent
  | ToolsetHealthEvent
  | SyncedEvent
  | ResetEvent;

interface AnyEvent {
  /** The registry's generation once this event is applied. */
  readonly generation: string;
  /** Which history the generation belongs to. */
  readonly epoch: string;
}

/** A toolset of the snapshot, or a new one. */
export interface ToolsetAddedEvent extends AnyEvent {
  readonly type: "added";
  readonly toolset: ListedToolset;
  /** All its tools, usable or not. */
  readonly tools: readonly ListedTool[];
}

/** Tools or aliases of a toolset changed. */
export interface ToolsetChangedEvent extends AnyEvent {
  readonly type: "changed";
  readonly toolset: ListedToolset;
  /** New or different ones. */
  readonly changedTools: readonly ListedTool[];
  /** Names. */
  readonly removedTools: readonly string[];
}

export interface ToolsetRemovedEvent extends AnyEvent {
  readonly type: "removed";
  /** Its name. */
  readonly toolset: string;
}

/** A toolset, or some of its tools, became usable or unusable. */
export interface ToolsetHealthEvent extends AnyEvent {
  readonly type: "health";
  readonly toolset: ListedToolset;
  /** Those whose own health changed. */
  readonly changedTools: readonly ListedTool[];
}

/** Everything up to here was told: the snapshot is whole, or what was missed is made up for. */
export interface SyncedEvent extends AnyEvent {
  readonly type: "synced";
}

/** Forget what you had: a whole snapshot follows. */
export interface ResetEvent extends AnyEvent {
  readonly type: "reset";
}

/** The event of a message; undefined for a heartbeat, and for kinds that only a newer client knows. */
export function eventOf({ generation, epoch, event }: WatchToolsetsResponse): ToolsetEvent | undefined {
  const at = { generation, epoch };
  switch (event.case) {
    case "added": {
      const { toolset, tools } = event.value;
      return toolset && { type: "added", ...at, toolset: toolsetOf(toolset), tools: tools.map(toolOf) };
    }
    case "changed": {
      const { toolset, changedTools, removedTools } = event.value;
      const changes = { changedTools: changedTools.map(toolOf), removedTools };
      return toolset && { type: "changed", ...at, toolset: toolsetOf(toolset), ...changes };
    }
    case "removed":
      return { type: "removed", ...at, toolset: event.value.toolset };
    case "healthChanged": {
      const { toolset, changedTools } = event.value;
      return toolset && { type: "health", ...at, toolset: toolsetOf(toolset), changedTools: changedTools.map(toolOf) };
    }
    case "synced":
      return { type: "synced", ...at };
    case "reset":
      return { type: "reset", ...at };
    default:
      return undefined;
  }
}
