import type { JsonObject, JsonValue } from "../json/json.ts";
import type { Script } from "../ports/script-runner.ts";

/** What calling a tool does to the world. Unsaid is `undefined`, and read carefully. */
export interface ToolAnnotations {
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
}

/** A JSON Schema: the text as it was given, byte for byte, and what it says. */
export interface SchemaDocument {
  readonly text: string;
  readonly value: JsonObject | boolean;
}

/** Names a backend: `kind` picks the code, `settings` is for that code alone. */
export interface BackendSpec {
  readonly kind: string;
  /** Shared by tools of one pool and one breaker, such as "weather.local:8080". */
  readonly name: string;
  readonly settings: JsonObject;
  /**
   * Came over the network: what it names was written by whoever registered
   * it, so it is only connected to where registered tools may point, whatever
   * its names resolve to. Unset: the operator wrote it, and it goes anywhere.
   */
  readonly confined?: true;
}

/** A question "can this be used now?", asked by the prober. Equal checks share one answer. */
export interface CheckSpec {
  readonly kind: string;
  readonly settings: JsonObject;
}

/** A script that the answer goes through before the mapping. */
export interface TransformSpec extends Script {
  readonly timeoutMs: number;
}

/** How a tool's answer becomes `data`. */
export interface ResponseSpec {
  /**
   * `auto`: what the answer's media type says; without one JSON where the text is that, else text. `ndjson` is one
   * JSON value a line, and becomes a list.
   */
  readonly format: "auto" | "json" | "ndjson" | "text";
  readonly transform?: TransformSpec;
  /** JSONPath (RFC 9535) for each field of the result. */
  readonly mapping?: Readonly<Record<string, string>>;
  /** Largest answer of the backend, in bytes. */
  readonly maxBytes: number;
}

export interface RetrySpec {
  readonly maxAttempts: number;
  readonly backoff: "exponential" | "fixed";
  readonly initialIntervalMs: number;
  readonly maxIntervalMs: number;
  readonly retryableErrors: readonly string[];
}

/** A rate such as "10/min": `calls` each `perMs` milliseconds. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

/** How often, and how many at once: of one tool, of one caller, or of all calls together. */
export interface LimitsSpec {
  readonly maxConcurrent?: number;
  /** Calls a second. */
  readonly maxQps?: number;
  readonly rate?: Rate;
  /** Calls that `rate` and `maxQps` let come at once; where unset, a whole period of each. */
  readonly burst?: number;
  /** Where calls wait that `maxConcurrent` has no room for. */
  readonly queue?: Partial<QueueBounds>;
  /** Counts and reports, and refuses nothing. */
  readonly shadow?: boolean;
}

export interface QueueBounds {
  /** Calls that may wait; 0: none. */
  readonly maxLength: number;
  readonly maxWaitMs: number;
}

/** How calls within a short time go as one call of the backend, and how its answer is taken apart again. */
export interface BatchSpec {
  /** The parameter that is a list; calls that are equal in all others go together. */
  readonly param: string;
  /** Most items of one backend call. */
  readonly maxItems: number;
  /** How long the first call waits for others. */
  readonly windowMs: number;
  /** Where in the answer the results are, as a JSON Pointer (RFC 6901); empty: the answer itself. */
  readonly results: string;
  /** The member of a result that is equal to the item it belongs to; unset: results come in the items' order. */
  readonly key?: string;
  /** The member of a result that says that its item failed. */
  readonly error?: string;
}

/** A tool as its owner describes it, from whatever source. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Sorted, unique. */
  readonly capabilities: readonly string[];
  /** Sorted, unique. */
  readonly tags: readonly string[];
  readonly owner: string;
  readonly contact: string;
  readonly inputSchema?: SchemaDocument;
  readonly outputSchema?: SchemaDocument;
  readonly annotations: ToolAnnotations;
  /** `client`: the agent runs the tool itself; there is no backend. */
  readonly execution: "gateway" | "client";
  readonly backend?: BackendSpec;
  readonly check?: CheckSpec;
  /** For one attempt. */
  readonly timeoutMs: number;
  readonly response: ResponseSpec;
  readonly retry?: RetrySpec;
  readonly limits?: LimitsSpec;
  /** How long a result may be served again; no caching where unsaid. */
  readonly cacheTtlMs?: number;
  /** Unset: every call goes alone. */
  readonly batch?: BatchSpec;
  /** `false`: made to be asked the same again and again, so that this is no loop. */
  readonly loopGuard?: boolean;
  /** Sorted, unique. */
  readonly scopes: readonly string[];
  readonly enabled: boolean;
}

/** A registered tool. Immutable: a change makes a new object, so it can key a WeakMap. */
export interface Tool extends ToolDefinition {
  readonly toolset: string;
  /** Where it came from, such as "file weather_tool.yaml". */
  readonly source: string;
  /** Digest of the definition. */
  readonly revision: string;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_TIMEOUT_MS = 3_600_000;
export const DEFAULT_MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Names of tools, toolsets, capabilities and aliases. */
export const NAME_PATTERN = /^[A-Za-z0-9_.-]{1,128}$/;

export function isLegalName(name: string): boolean {
  return NAME_PATTERN.test(name);
}

/** The sentence for a name that is not legal. */
export function notLegal(what: string, name: string): string {
  const shown = JSON.stringify(name.slice(0, 64));
  return `${shown} is not a legal ${what}: use 1 to 128 characters of A-Z, a-z, 0-9, "_", "." and "-".`;
}

/** Whether a second, equal call is harmless. Reading is; unsaid is not. */
export function isIdempotent(tool: Pick<ToolDefinition, "annotations">): boolean {
  return tool.annotations.idempotent ?? tool.annotations.readOnly ?? false;
}

/** "kind:name", as in the envelope and in metric labels; empty for tools without a backend. */
export function backendLabel(tool: Pick<ToolDefinition, "backend">): string {
  return tool.backend === undefined ? "" : `${tool.backend.kind}:${tool.backend.name}`;
}

/** The part of a definition that says what changed hands: equal text, equal tool. */
export function definitionAsJson(definition: ToolDefinition): JsonValue {
  const { inputSchema, outputSchema, ...rest } = definition;
  const schemas = { inputSchema: inputSchema?.text ?? null, outputSchema: outputSchema?.text ?? null };
  return withoutUndefined({ ...rest, ...schemas });
}

function withoutUndefined(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  const kept = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutUndefined(part)]));
}
