import type { Toolset } from "@toolgate/contract";
import { type RegistryStore, toolsetsByName } from "@toolgate/core";
import { toolsetToMessage } from "../convert/tool.ts";
import type { RequestContext } from "./context.ts";
import { showsTool } from "./watch-view.ts";

export interface ToolsetList {
  readonly generation: number;
  readonly toolsets: readonly Toolset[];
}

/** All toolsets of which a tool is listed to the caller, by name. */
export function listToolsetsHandler(registry: RegistryStore) {
  return async ({ caller }: RequestContext): Promise<ToolsetList> => {
    const snapshot = registry.snapshot();
    const toolsets = toolsetsByName(snapshot)
      .filter(({ tools }) => tools.some((name) => showsTool({ caller }, snapshot, name)))
      .map((toolset) => toolsetToMessage(snapshot, toolset));
    return { generation: snapshot.generation, toolsets };
  };
}
