import {
  type BackendSpec,
  type BatchSpec,
  DEFAULT_MAX_RESPONSE_BYTES,
  DEFAULT_TIMEOUT_MS,
  type LimitsSpec,
  type ResponseSpec,
  type RetrySpec,
  type SchemaDocument,
  type ToolAnnotations,
  type ToolDefinition,
  type TransformSpec,
} from "@toolgate/core";
import { toLimits } from "./limit-keys.ts";
import { said } from "./said.ts";
import type { ToolKeys } from "./tool-keys.ts";

/** What `retry` means where it leaves something out. */
export const RETRY_DEFAULTS = {
  maxAttempts: 3,
  backoff: "exponential",
  initialIntervalMs: 100,
  maxIntervalMs: 2_000,
} as const;

/** What `batch` means where it leaves something out. */
export const BATCH_DEFAULTS = { maxItems: 50, windowMs: 5, results: "" } as const;

export interface DefinitionParts {
  readonly inputSchema: SchemaDocument | undefined;
  readonly outputSchema: SchemaDocument | undefined;
  readonly backend: BackendSpec | undefined;
  readonly transform: TransformSpec | undefined;
}

/** A definition from keys that have been checked; what is unsaid gets its default or stays unsaid. */
export function toDefinition(keys: ToolKeys, { transform, ...parts }: DefinitionParts): ToolDefinition {
  return {
    name: keys.name,
    title: keys.title ?? "",
    description: keys.description ?? "",
    capabilities: sortedUnique(keys.capabilities),
    tags: sortedUnique(keys.tags),
    owner: keys.owner ?? "",
    contact: keys.contact ?? "",
    annotations: annotationsOf(keys.annotations),
    execution: keys.execution ?? "gateway",
    timeoutMs: keys.timeout ?? DEFAULT_TIMEOUT_MS,
    response: responseOf(keys.response, transform),
    scopes: sortedUnique(keys.scopes),
    enabled: keys.enabled ?? true,
    ...said({
      ...parts,
      check: keys.check,
      retry: retryOf(keys.retry),
      limits: limitsOf(keys),
      cacheTtlMs: keys.cache?.ttl,
      batch: batchOf(keys.batch),
      loopGuard: keys.loop_guard,
    }),
  };
}

function annotationsOf(keys: ToolKeys["annotations"]): ToolAnnotations {
  if (keys === undefined) return {};
  const { read_only: readOnly, idempotent, destructive, open_world: openWorld } = keys;
  return said({ readOnly, idempotent, destructive, openWorld });
}

function responseOf(keys: ToolKeys["response"], transform: TransformSpec | undefined): ResponseSpec {
  const mapping = Object.keys(keys?.mapping ?? {}).length === 0 ? undefined : keys?.mapping;
  return {
    format: keys?.format ?? "auto",
    maxBytes: keys?.max_bytes ?? DEFAULT_MAX_RESPONSE_BYTES,
    ...said({ transform, mapping }),
  };
}

function retryOf(keys: ToolKeys["retry"]): RetrySpec | undefined {
  if (keys === undefined) return undefined;
  const initialIntervalMs = keys.initial_interval ?? RETRY_DEFAULTS.initialIntervalMs;
  return {
    maxAttempts: keys.max_attempts ?? RETRY_DEFAULTS.maxAttempts,
    backoff: keys.backoff ?? RETRY_DEFAULTS.backoff,
    initialIntervalMs,
    maxIntervalMs: keys.max_interval ?? Math.max(initialIntervalMs, RETRY_DEFAULTS.maxIntervalMs),
    retryableErrors: keys.retryable_errors ?? [],
  };
}

function batchOf(keys: ToolKeys["batch"]): BatchSpec | undefined {
  if (keys === undefined) return undefined;
  const { param, key, error } = keys;
  return {
    param,
    maxItems: keys.max_items ?? BATCH_DEFAULTS.maxItems,
    windowMs: keys.window ?? BATCH_DEFAULTS.windowMs,
    results: keys.results ?? BATCH_DEFAULTS.results,
    ...said({ key, error }),
  };
}

function limitsOf({ limits, rate_limit }: ToolKeys): LimitsSpec | undefined {
  if (limits === undefined && rate_limit === undefined) return undefined;
  return { ...(limits === undefined ? {} : toLimits(limits)), ...said({ rate: rate_limit }) };
}

function sortedUnique(labels: readonly string[] = []): readonly string[] {
  return [...new Set(labels)].sort();
}
