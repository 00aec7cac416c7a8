import { create } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  Execution,
  type Health as HealthMessage,
  HealthSchema,
  HealthState,
  type LastError as LastErrorMessage,
  LastErrorSchema,
  type Tool as ToolMessage,
  ToolSchema,
  type Toolset as ToolsetMessage,
  ToolsetSchema,
} from "@toolgate/contract";
import {
  backendLabel,
  type Health,
  isToolUsable,
  type Snapshot,
  type ToolEntry,
  type ToolsetEntry,
  toolHealth,
  toolsetHealth,
} from "@toolgate/core";
import type { LastError } from "../../telemetry/last-errors.ts";

const STATES: Record<Health["state"], HealthState> = {
  healthy: HealthState.HEALTHY,
  degraded: HealthState.DEGRADED,
  unavailable: HealthState.UNAVAILABLE,
  unknown: HealthState.UNKNOWN,
};

export function healthToMessage(health: Health): HealthMessage {
  const message = create(HealthSchema, { state: STATES[health.state], reason: health.reason });
  if (health.checkedAt !== undefined) message.checkedAt = timestampFromMs(health.checkedAt);
  return message;
}

export function lastErrorToMessage({ at, ...error }: LastError): LastErrorMessage {
  return create(LastErrorSchema, { ...error, at: timestampFromMs(at) });
}

export function toolToMessage(snapshot: Snapshot, entry: ToolEntry): ToolMessage {
  const { tool } = entry;
  const { name, title, description, toolset, owner, contact, source, revision } = tool;
  return create(ToolSchema, {
    name,
    title,
    description,
    toolset,
    owner,
    contact,
    source,
    revision,
    capabilities: [...tool.capabilities],
    tags: [...tool.tags],
    scopes: [...tool.scopes],
    inputSchema: tool.inputSchema?.text ?? '{"type":"object"}',
    outputSchema: tool.outputSchema?.text ?? "",
    annotations: tool.annotations,
    execution: tool.execution === "client" ? Execution.CLIENT : Execution.GATEWAY,
    backend: backendLabel(tool),
    timeout: durationFromMs(tool.timeoutMs),
    health: healthToMessage(toolHealth(snapshot, entry)),
    instances: entry.instances.length,
    enabled: tool.enabled && !snapshot.disabledTools.has(name) && !snapshot.disabledToolsets.has(toolset),
  });
}

export function toolsetToMessage(snapshot: Snapshot, toolset: ToolsetEntry): ToolsetMessage {
  return create(ToolsetSchema, {
    name: toolset.name,
    aliases: [...toolset.aliases],
    health: healthToMessage(toolsetHealth(snapshot, toolset)),
    tools: toolset.tools.length,
    availableTools: toolset.tools.filter((name) => isToolUsable(snapshot, name)).length,
    source: toolset.source,
  });
}
