import { HEALTHY, type Health, isUsable, UNPROBED } from "../tool/availability.ts";
import type { CheckSpec } from "../tool/tool.ts";
import { checkKey, type Snapshot, type ToolEntry, type ToolsetEntry } from "./snapshot.ts";

const SWITCHED_OFF: Health = { state: "unavailable", reason: "switched off by an operator" };
const OFF_IN_DEFINITION: Health = { state: "unavailable", reason: "switched off in its definition (enabled: false)" };

/** Can this tool be used now: its own check, or its toolset's where it has none. */
export function toolHealth(snapshot: Snapshot, entry: ToolEntry): Health {
  const { tool } = entry;
  if (!tool.enabled) return OFF_IN_DEFINITION;
  if (snapshot.disabledTools.has(tool.name) || snapshot.disabledToolsets.has(tool.toolset)) return SWITCHED_OFF;
  return answerOf(snapshot, tool.check ?? snapshot.toolsets.get(tool.toolset)?.check);
}

/**
 * Is this toolset alive: its own check decides. A living toolset is degraded
 * where some of its tools cannot be used, and down where none can.
 */
export function toolsetHealth(snapshot: Snapshot, toolset: ToolsetEntry): Health {
  if (snapshot.disabledToolsets.has(toolset.name)) return SWITCHED_OFF;
  const own = answerOf(snapshot, toolset.check);
  if (own.state !== "healthy") return own;
  const broken = toolset.tools.filter((name) => !isToolUsable(snapshot, name));
  if (broken.length === 0) return own;
  const names = broken.slice(0, 3).join(", ") + (broken.length > 3 ? ", …" : "");
  const reason = `${broken.length} of ${toolset.tools.length} tools cannot be used: ${names}`;
  return { ...own, state: broken.length === toolset.tools.length ? "unavailable" : "degraded", reason };
}

export function isToolUsable(snapshot: Snapshot, name: string): boolean {
  const entry = snapshot.tools.get(name);
  return entry !== undefined && isUsable(toolHealth(snapshot, entry));
}

/** Whether some tool or toolset asks this check. */
export function usesCheck(snapshot: Snapshot, key: string): boolean {
  for (const { check } of snapshot.toolsets.values()) if (check !== undefined && checkKey(check) === key) return true;
  return checksOfTools(snapshot.tools).has(key);
}

/** Of maps whose checks were asked for: thousands of tools may each have one, and all be answered before the next tool comes. */
const toolChecks = new WeakMap<Snapshot["tools"], ReadonlySet<string>>();

function checksOfTools(tools: Snapshot["tools"]): ReadonlySet<string> {
  let keys = toolChecks.get(tools);
  if (keys === undefined) {
    keys = new Set(
      [...tools.values()].flatMap(({ tool: { check } }) => (check === undefined ? [] : [checkKey(check)])),
    );
    toolChecks.set(tools, keys);
  }
  return keys;
}

function answerOf(snapshot: Snapshot, check: CheckSpec | undefined): Health {
  if (check === undefined) return HEALTHY;
  return snapshot.health.get(checkKey(check)) ?? UNPROBED.health;
}
