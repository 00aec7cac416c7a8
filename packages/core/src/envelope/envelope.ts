import type { Call } from "../call/call.ts";
import type { ErrorClass, ErrorCode } from "../errors/codes.ts";
import { factsOf } from "../errors/codes.ts";
import type { BackendAnswer, ToolgateError, Violation } from "../errors/toolgate-error.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import type { ToolEntry } from "../registry/snapshot.ts";
import { backendLabel } from "../tool/tool.ts";

/** What is left of one limit. */
export interface LimitState {
  /** Such as "global.max_qps" or "tool.web_search.rate". */
  readonly name: string;
  /** Calls: in `windowMs`, or at once where that is 0. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the limit is whole again; 0 where nobody can know. */
  readonly resetMs: number;
  readonly windowMs: number;
}

export interface EnvelopeMeta {
  readonly callId: string;
  readonly latencyMs: number;
  readonly queueMs: number;
  readonly backendMs: number;
  readonly cached: boolean;
  /** Set where `cached`: how long ago the result was made. */
  readonly cacheAgeMs?: number;
  readonly attempts: number;
  readonly toolset: string;
  readonly backend: string;
  readonly warnings: readonly string[];
  readonly truncated: boolean;
  readonly limits: readonly LimitState[];
}

export interface EnvelopeError {
  readonly code: ErrorCode;
  readonly class: ErrorClass;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly violations: readonly Violation[];
  readonly backendAnswer?: BackendAnswer;
  readonly nearNames: readonly string[];
}

/** A result: the value, and its exact text while nothing has changed it. */
export interface Data {
  readonly value: JsonValue;
  readonly text?: string;
}

/** What the inner line makes of a call that did not fail. */
export type Outcome =
  | { readonly kind: "success"; readonly data: Data }
  | { readonly kind: "delegated"; readonly data: Data };

/** The one answer to a call. */
export type Envelope =
  | {
      readonly status: "success" | "delegated";
      readonly tool: string;
      readonly data: Data;
      readonly meta: EnvelopeMeta;
    }
  | { readonly status: "error"; readonly tool: string; readonly error: EnvelopeError; readonly meta: EnvelopeMeta };

/** Where the call got to, for `tool` and `meta`: `entry` is unset where no tool was found. */
export interface Ending {
  readonly call: Call;
  readonly entry: ToolEntry | undefined;
  /** On the monotonic clock. */
  readonly now: number;
}

export function ok(outcome: Outcome, ending: Ending): Envelope {
  const status = outcome.kind === "success" ? "success" : "delegated";
  return { status, tool: toolOf(ending), data: outcome.data, meta: metaOf(ending) };
}

export function fail(error: ToolgateError, ending: Ending): Envelope {
  return { status: "error", tool: toolOf(ending), error: describe(error), meta: metaOf(ending) };
}

function toolOf({ call, entry }: Ending): string {
  return entry?.tool.name ?? call.target.name;
}

function describe(error: ToolgateError): EnvelopeError {
  const { retryAfterMs, violations, backendAnswer, nearNames } = error.details;
  return {
    code: error.code,
    class: factsOf(error.code).class,
    message: error.message,
    retryable: error.retryable,
    violations: violations ?? [],
    nearNames: nearNames ?? [],
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.max(0, Math.ceil(retryAfterMs)) }),
    ...(backendAnswer === undefined ? {} : { backendAnswer }),
  };
}

function metaOf({ call, entry, now }: Ending): EnvelopeMeta {
  const { trail } = call;
  return {
    callId: call.callId,
    latencyMs: tenths(now - call.receivedAt),
    queueMs: tenths(trail.queueMs),
    backendMs: tenths(trail.backendMs),
    cached: trail.cached,
    attempts: trail.attempts,
    toolset: entry?.tool.toolset ?? "",
    backend: entry === undefined ? "" : backendLabel(entry.tool),
    warnings: trail.warnings,
    truncated: trail.truncated,
    limits: trail.limits,
    ...(trail.cacheAgeMs === undefined ? {} : { cacheAgeMs: Math.round(trail.cacheAgeMs) }),
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/**
 * Keeps only the named parts: dotted paths, an array on the way standing for
 * each of its elements (one that has no such part becomes `null`, so that the
 * others keep their places). No path at all keeps everything. Paths that lead
 * nowhere are returned as missing.
 */
export function pickFields(value: JsonValue, fields: readonly string[]): { value: JsonValue; missing: string[] } {
  if (fields.length === 0) return { value, missing: [] };
  const paths = fields.map((field) => field.split("."));
  const missing = fields.filter((_, i) => !reaches(value, paths[i] as string[]));
  return { value: keep(value, paths) ?? null, missing };
}

function reaches(value: JsonValue, path: readonly string[]): boolean {
  const [head, ...rest] = path;
  if (head === undefined) return true;
  if (Array.isArray(value)) return value.length === 0 || value.some((item) => reaches(item, path));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, head)) return false;
  return reaches(value[head] as JsonValue, rest);
}

/** `undefined` where a path goes on into what has no parts. */
function keep(value: JsonValue, paths: readonly (readonly string[])[]): JsonValue | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) return value.map((item) => keep(item, paths) ?? null);
  if (typeof value !== "object" || value === null) return undefined;
  const kept: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const inner = paths.filter((path) => path[0] === key).map((path) => path.slice(1));
    const part = inner.length === 0 ? undefined : keep(item, inner);
    if (part !== undefined) kept.push([key, part]);
  }
  return Object.fromEntries(kept);
}
