import type { LimitsSpec, QueueBounds } from "../tool/tool.ts";
import { type Gcra, gcraOf } from "./gcra.ts";

/** Whose calls a limit counts: everybody's, those of one tool, those of one caller. */
export type LimitLevel = "global" | "tool" | "client";

interface LimitFacts {
  /** For the reader, such as "tool.web_search.rate". Names no caller: it reaches metrics and answers. */
  readonly name: string;
  readonly level: LimitLevel;
  /** What is counted under: equal for all calls that share the limit, different for all others. */
  readonly key: string;
  readonly shadow: boolean;
}

/** So many calls in a time. */
export interface RateLimit extends LimitFacts {
  readonly measure: "max_qps" | "rate";
  readonly calls: number;
  readonly windowMs: number;
  readonly rule: Gcra;
}

/** So many calls at once. */
export interface SlotLimit extends LimitFacts {
  readonly measure: "max_concurrent";
  readonly slots: number;
  readonly queue: QueueBounds;
}

export type Limit = RateLimit | SlotLimit;

export const DEFAULT_QUEUE: QueueBounds = { maxLength: 100, maxWaitMs: 5_000 };

/**
 * The limits that a specification stands for.
 *
 * @param id the tool's name or the caller's id; empty for the level "global"
 */
export function limitsOf(level: LimitLevel, id: string, spec: LimitsSpec): Limit[] {
  const { rate, maxQps, maxConcurrent, shadow = false } = spec;
  const named = <M extends Limit["measure"]>(measure: M) => {
    const name = level === "tool" ? `tool.${id}.${measure}` : `${level}.${measure}`;
    return { name, level, measure, key: `${level}:${id}:${measure}`, shadow };
  };
  const limits: Limit[] = [];
  if (rate !== undefined) limits.push({ ...named("rate"), ...windowOf(rate, spec) });
  if (maxQps !== undefined) limits.push({ ...named("max_qps"), ...windowOf(perSecond(maxQps), spec) });
  if (maxConcurrent !== undefined) {
    limits.push({ ...named("max_concurrent"), slots: maxConcurrent, queue: { ...DEFAULT_QUEUE, ...spec.queue } });
  }
  return limits;
}

function windowOf(rate: { calls: number; perMs: number }, { burst }: LimitsSpec) {
  return { calls: rate.calls, windowMs: Math.round(rate.perMs), rule: gcraOf(rate, burst) };
}

/** As a rate of whole calls: 0.5 a second is one in two seconds. */
function perSecond(maxQps: number): { calls: number; perMs: number } {
  const calls = Math.max(1, Math.floor(maxQps));
  return { calls, perMs: (calls * 1_000) / maxQps };
}

/** The limits that hold for everyone, as the operator wrote them. */
export interface LimitRules {
  readonly global?: LimitsSpec;
  /** By tool; key by key, these go before what the tool says of itself. */
  readonly perTool: ReadonlyMap<string, LimitsSpec>;
  /** For each caller by itself. */
  readonly perClient?: LimitsSpec;
  /** By the caller's id; key by key, these go before `perClient`. */
  readonly clients: ReadonlyMap<string, LimitsSpec>;
}

export const NO_LIMITS: LimitRules = { perTool: new Map(), clients: new Map() };

/** All limits of one tool and one caller, sorted for whoever decides. */
export interface LimitPlan {
  /** Those that refuse. */
  readonly inForce: readonly Limit[];
  readonly inShadow: readonly Limit[];
  /** The slots among those in force. */
  readonly slots: readonly SlotLimit[];
}

export function planOf(limits: readonly Limit[]): LimitPlan | undefined {
  if (limits.length === 0) return undefined;
  const inForce = limits.filter(({ shadow }) => !shadow);
  const slots = inForce.filter((limit) => limit.measure === "max_concurrent");
  return { inForce, inShadow: limits.filter(({ shadow }) => shadow), slots };
}
