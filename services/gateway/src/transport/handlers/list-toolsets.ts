import type { Toolset } from "@toolgate/contract";
import {
  type Caller,
  isListed,
  type RegistryStore,
  type Snapshot,
  type ToolsetEntry,
  toolsetsByName,
} from "@toolgate/core";
import type { LastErrors } from "../../telemetry/last-errors.ts";
import { lastErrorToMessage, toolsetToMessage } from "../convert/tool.ts";
import type { RequestContext } from "./context.ts";
import { showsTool } from "./watch-view.ts";

export interface ToolsetList {
  readonly generation: number;
  readonly toolsets: readonly Toolset[];
}

/** All toolsets of which a tool is listed to the caller, by name. */
export function listToolsetsHandler(registry: RegistryStore, lastErrors: LastErrors) {
  return async ({ caller }: RequestContext): Promise<ToolsetList> => {
    const snapshot = registry.snapshot();
    const toolsets = toolsetsByName(snapshot)
      .filter(({ tools }) => tools.some((name) => showsTool({ caller }, snapshot, name)))
      .map((toolset) => toolsetInList(toolset, { snapshot, caller, lastErrors }));
    return { generation: snapshot.generation, toolsets };
  };
}

export interface ListSight {
  readonly snapshot: Snapshot;
  readonly caller: Caller;
  readonly lastErrors: LastErrors;
}

/** A toolset with what last went wrong in it, as far as this caller may know. */
export function toolsetInList(toolset: ToolsetEntry, { snapshot, caller, lastErrors }: ListSight): Toolset {
  const message = toolsetToMessage(snapshot, toolset);
  const error = lastErrors.ofToolset(snapshot, toolset, ({ tool }) => isListed(caller, tool));
  if (error !== undefined) message.lastError = lastErrorToMessage(error);
  return message;
}
