import { isIdempotent, type Tool } from "../tool/tool.ts";

/** What the operator says about the results of one tool. */
export interface CacheRule {
  /** 0: results are not kept. */
  readonly ttlMs: number;
  /** Whether one caller may get what another one was answered. Unset: where the backend sees neither. */
  readonly shared?: boolean;
}

export interface CacheRules {
  readonly enabled: boolean;
  /** For tools that say they are read-only or idempotent, and that nothing else is said about. */
  readonly defaultTtlMs?: number;
  readonly byTool: Readonly<Record<string, CacheRule>>;
}

/** How the results of one tool are kept. */
export interface CachePolicy {
  readonly ttlMs: number;
  readonly shared: boolean;
}

/**
 * How a tool's results may be kept; `undefined`: not at all.
 *
 * A rule of the operator beats the tool's own time, which beats the default. A
 * rule is also the operator's word that the tool may be cached where its owner
 * says nothing; what the owner calls destructive, or not idempotent, never is.
 *
 * @param isPrivate whether credentials or the caller reach the backend
 */
export function cachePolicy(tool: Tool, rules: CacheRules, isPrivate: boolean): CachePolicy | undefined {
  if (!rules.enabled || tool.execution === "client") return undefined;
  const rule = Object.hasOwn(rules.byTool, tool.name) ? rules.byTool[tool.name] : undefined;
  const allowed = isIdempotent(tool) || (rule !== undefined && saysNothing(tool));
  const ttlMs = rule?.ttlMs ?? tool.cacheTtlMs ?? rules.defaultTtlMs ?? 0;
  if (!allowed || ttlMs <= 0) return undefined;
  return { ttlMs, shared: rule?.shared ?? !isPrivate };
}

function saysNothing({ annotations }: Tool): boolean {
  const { readOnly, idempotent, destructive } = annotations;
  return readOnly === undefined && idempotent === undefined && destructive !== true;
}
