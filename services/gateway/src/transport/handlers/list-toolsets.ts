import type { Toolset } from "@toolgate/contract";
import { type Caller, mayCall, type RegistryStore, type Snapshot, type ToolsetEntry } from "@toolgate/core";
import { toolsetToMessage } from "../convert/tool.ts";
import type { RequestContext } from "./context.ts";

export interface ToolsetList {
  readonly generation: number;
  readonly toolsets: readonly Toolset[];
}

/** All toolsets of which the caller may call a tool, by name. */
export function listToolsetsHandler(registry: RegistryStore) {
  return async ({ caller }: RequestContext): Promise<ToolsetList> => {
    const snapshot = registry.snapshot();
    const toolsets = [...snapshot.toolsets.values()]
      .filter((toolset) => isVisible(snapshot, toolset, caller))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((toolset) => toolsetToMessage(snapshot, toolset));
    return { generation: snapshot.generation, toolsets };
  };
}

function isVisible(snapshot: Snapshot, { tools }: ToolsetEntry, caller: Caller): boolean {
  return tools.some((name) => mayCall(caller, snapshot.tools.get(name)?.tool ?? { scopes: [] }));
}
