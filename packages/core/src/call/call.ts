import type { LimitState } from "../envelope/envelope.ts";
import type { ToolgateError } from "../errors/toolgate-error.ts";
import type { JsonObject } from "../json/json.ts";
import type { Snapshot, ToolEntry } from "../registry/snapshot.ts";
import type { Access } from "./access.ts";

/** Who calls. `id` is empty on a gateway without keys. */
export interface Caller {
  readonly id: string;
  /** Unset: every scope, as on a gateway without keys. */
  readonly scopes?: ReadonlySet<string>;
  /** What else bounds it; unset: nothing. */
  readonly access?: Access;
  /** Whether this caller may use the operators' service. */
  readonly admin: boolean;
}

/** Everyone, on a gateway without keys: it listens on loopback only. */
export const ANONYMOUS: Caller = { id: "", admin: true };

export interface CallTarget {
  readonly kind: "tool" | "capability" | "pipeline";
  readonly name: string;
}

/** Arguments as they came: a value, or text that nobody has read yet. */
export type CallInput =
  | { readonly encoding: "value"; readonly value: JsonObject }
  | { readonly encoding: "text"; readonly text: string };

/** W3C Trace Context, passed on as it came. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** What is written down while the call goes along the line; read for `meta`. */
export interface CallTrail {
  attempts: number;
  queueMs: number;
  backendMs: number;
  cached: boolean;
  /** How old a cached result is. */
  cacheAgeMs?: number;
  truncated: boolean;
  readonly warnings: string[];
  readonly limits: LimitState[];
}

/** The way in: gRPC, HTTP with JSON, or Connect and gRPC-Web. */
export type Door = "grpc" | "http" | "connect";

/** One call, as every door hands it in. */
export interface Call {
  readonly target: CallTarget;
  readonly input: CallInput;
  readonly callId: string;
  readonly sessionId?: string;
  readonly idempotencyKey?: string;
  readonly cache: "default" | "bypass" | "refresh";
  readonly raw: boolean;
  /** Dotted paths; empty means everything. */
  readonly fields: readonly string[];
  readonly caller: Caller;
  readonly door: Door;
  readonly trace: TraceContext;
  /** On the monotonic clock, in milliseconds. */
  readonly receivedAt: number;
  /** On the monotonic clock; unset where the caller has all the time in the world. */
  readonly deadlineAt?: number;
  /** Aborted when the caller goes away or its deadline passes. */
  readonly signal: AbortSignal;
  readonly trail: CallTrail;
  /** What is wrong with the request itself: the call ends with it before a tool is looked for. */
  readonly problem?: ToolgateError;
}

/** A call whose tool is known. What only needs a name cannot be handed this by mistake, and the reverse. */
export interface ResolvedCall extends Call {
  readonly entry: ToolEntry;
  /** The registry at the moment the tool was found. */
  readonly snapshot: Snapshot;
}

/** A call whose arguments have been read. */
export interface ReadyCall extends ResolvedCall {
  readonly args: JsonObject;
  /** The exact text of `args`, while nothing has changed them. */
  readonly argsText?: string;
}

/** The call with other arguments: their text is not what came any more. */
export function withArguments({ argsText: _outdated, ...call }: ReadyCall, args: JsonObject): ReadyCall {
  return { ...call, args };
}

export function newTrail(): CallTrail {
  return { attempts: 0, queueMs: 0, backendMs: 0, cached: false, truncated: false, warnings: [], limits: [] };
}

/** Adds to a call's trail what was written down in the trail of work that it shared. */
export function addTrail(trail: CallTrail, more: CallTrail): void {
  trail.attempts += more.attempts;
  trail.backendMs += more.backendMs;
  trail.truncated ||= more.truncated;
  trail.warnings.push(...more.warnings);
}
