import { create } from "@bufbuild/protobuf";
import {
  ToolsetAddedSchema,
  ToolsetChangedSchema,
  ToolsetHealthChangedSchema,
  ToolsetRemovedSchema,
  type WatchToolsetsResponse,
  WatchToolsetsResponseSchema,
} from "@toolgate/contract";
import type { Snapshot, ToolEntry, ToolsetEntry, ToolsetEvent } from "@toolgate/core";
import { toolsetToMessage, toolToMessage } from "./tool.ts";

/**
 * One event of a watch, as it stands in `snapshot`.
 *
 * @param shows says of each tool of an added toolset whether the watcher sees it.
 */
export function watchEvent(
  event: ToolsetEvent,
  snapshot: Snapshot,
  shows: (tool: string) => boolean,
): WatchToolsetsResponse["event"] {
  if (event.type === "removed") {
    return { case: "removed", value: create(ToolsetRemovedSchema, { toolset: event.toolset }) };
  }
  const entry = snapshot.toolsets.get(event.toolset) as ToolsetEntry;
  const toolset = toolsetToMessage(snapshot, entry);
  const messages = (names: readonly string[]) =>
    names.map((name) => toolToMessage(snapshot, snapshot.tools.get(name) as ToolEntry));
  if (event.type === "added") {
    return {
      case: "added",
      value: create(ToolsetAddedSchema, { toolset, tools: messages(entry.tools.filter(shows)) }),
    };
  }
  const changedTools = messages(event.changedTools);
  if (event.type === "health") {
    return { case: "healthChanged", value: create(ToolsetHealthChangedSchema, { toolset, changedTools }) };
  }
  const removedTools = [...event.removedTools];
  return { case: "changed", value: create(ToolsetChangedSchema, { toolset, changedTools, removedTools }) };
}

/** What a message says besides its event. */
export interface WatchPlace {
  readonly generation: number;
  readonly epoch: string;
}

export function watchMessage(
  { generation, epoch }: WatchPlace,
  event: WatchToolsetsResponse["event"],
): WatchToolsetsResponse {
  const message = create(WatchToolsetsResponseSchema, { generation: String(generation), epoch });
  message.event = event;
  return message;
}
