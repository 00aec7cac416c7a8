import { canonicalJson } from "../json/json.ts";
import type { Health } from "../tool/availability.ts";
import type { CheckSpec, Tool } from "../tool/tool.ts";

/** Who registers. `id` decides ownership; `label` is what others may read about it. */
export interface Registrant {
  readonly id: string;
  readonly label: string;
}

/** One process (or file set) that serves a tool. */
export interface Instance {
  readonly leaseId: string;
  /** "host:port" of ToolProviderService; unset where the tool needs none. */
  readonly address?: string;
}

export interface ToolEntry {
  readonly tool: Tool;
  readonly registrant: Registrant;
  /** By lease id; never empty. */
  readonly instances: readonly Instance[];
}

export interface ToolsetEntry {
  readonly name: string;
  readonly registrant: Registrant;
  readonly source: string;
  /** Sorted. Only those that this toolset really got. */
  readonly aliases: readonly string[];
  /** "Is the toolset alive": kept apart from the tools' own checks. */
  readonly check?: CheckSpec;
  /** Sorted names; never empty. */
  readonly tools: readonly string[];
}

export interface Lease {
  readonly id: string;
  readonly registrantId: string;
  /** Milliseconds since the epoch; `Infinity` for what does not expire. */
  readonly expiresAt: number;
  readonly durationMs: number;
  /** The tools that it is an instance of: no more, no less. */
  readonly tools: ReadonlySet<string>;
  /**
   * Tools that it served until another lease of the same registrant brought a
   * new definition. Once nobody serves one of them, a renewal is answered
   * "not known", so that its owner offers it again.
   */
  readonly superseded: ReadonlySet<string>;
}

/**
 * Everything that can be listed, at one moment. Never changed: a change makes
 * the next snapshot, with the next generation. Renewing a lease changes
 * nothing that can be seen, so it keeps the generation.
 */
export interface Snapshot {
  readonly generation: number;
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly toolsets: ReadonlyMap<string, ToolsetEntry>;
  /** Alias to toolset. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Answers of checks, by {@link checkKey}. No entry: not probed yet. */
  readonly health: ReadonlyMap<string, Health>;
  /** What operators switched off. */
  readonly disabledTools: ReadonlySet<string>;
  readonly disabledToolsets: ReadonlySet<string>;
  readonly leases: ReadonlyMap<string, Lease>;
}

export const EMPTY_SNAPSHOT: Snapshot = {
  generation: 0,
  tools: new Map(),
  toolsets: new Map(),
  aliases: new Map(),
  health: new Map(),
  disabledTools: new Set(),
  disabledToolsets: new Set(),
  leases: new Map(),
};

const checkKeys = new WeakMap<CheckSpec, string>();

/** Equal checks have equal keys, so they are probed once. */
export function checkKey(check: CheckSpec): string {
  let key = checkKeys.get(check);
  if (key === undefined) {
    key = `${check.kind} ${canonicalJson(check.settings)}`;
    checkKeys.set(check, key);
  }
  return key;
}
