import { type CheckSpec, MAX_TIMEOUT_MS } from "@toolgate/core";
import { byteSize, duration, legalName, rate } from "@toolgate/documents";
import { z } from "zod";
import { type ReadCheck, readEnvCheck, readHttpCheck, readTcpCheck } from "../../probes/check-specs.ts";
import { limitsSchema } from "./limit-keys.ts";
import { transformSchema } from "./transform-keys.ts";

const MAX_LABELS = 32;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const MAX_ATTEMPTS = 10;
const MAX_BATCH_ITEMS = 10_000;
const MAX_BATCH_WINDOW_MS = 1_000;

const names = z.array(legalName()).max(MAX_LABELS);
const text = z.string().max(256);
/** A JSON Schema as a map, as `true` or `false`, or as JSON text. */
const jsonSchema = z.union([z.record(z.string(), z.unknown()), z.boolean(), z.string()]);

const annotations = z.strictObject({
  read_only: z.boolean().optional(),
  idempotent: z.boolean().optional(),
  destructive: z.boolean().optional(),
  open_world: z.boolean().optional(),
});

/** "timeout", "connection_error", an HTTP status such as 503, or a gRPC status such as UNAVAILABLE. */
const retryableError = z.union([z.int(), z.string()]).transform((written, context) => {
  const name = String(written);
  if (/^(timeout|connection_error|[1-5]\d\d|[A-Z][A-Z_]*)$/.test(name)) return name;
  const message = `Expected "timeout", "connection_error", an HTTP status such as 503 or a gRPC status such as UNAVAILABLE.`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const retry = z.strictObject({
  max_attempts: z.int().min(1).max(MAX_ATTEMPTS).optional(),
  backoff: z.enum(["exponential", "fixed"]).optional(),
  initial_interval: duration({ maxMs: MAX_TIMEOUT_MS }).optional(),
  max_interval: duration({ maxMs: MAX_TIMEOUT_MS }).optional(),
  retryable_errors: z.array(retryableError).max(MAX_LABELS).optional(),
});

const batch = z.strictObject({
  param: z.string().min(1),
  max_items: z.int().min(2).max(MAX_BATCH_ITEMS).optional(),
  window: duration({ minMs: 1, maxMs: MAX_BATCH_WINDOW_MS }).optional(),
  results: z
    .string()
    .regex(
      /^(\/([^~/]|~[01])*)*$/,
      'Expected a JSON Pointer such as "/results"; leave it out where the answer itself is the list.',
    )
    .optional(),
  key: z.string().min(1).optional(),
  error: z.string().min(1).optional(),
});

const response = z.strictObject({
  format: z.enum(["auto", "json", "ndjson", "text"]).optional(),
  transform: transformSchema.optional(),
  mapping: z.record(z.string(), z.string()).optional(),
  max_bytes: byteSize({ min: 1, max: MAX_RESPONSE_BYTES }).optional(),
});

function checkField(read: (text: string) => ReadCheck) {
  return z.string().transform((written, context): CheckSpec => {
    const result = read(written);
    if (result.ok) return result.check;
    context.addIssue({ code: "custom", message: result.message });
    return z.NEVER;
  });
}

/** `http: URL`, `tcp: HOST:PORT` or `env: NAME`, as the check that it stands for. */
export const checkSchema = z
  .strictObject({
    http: checkField(readHttpCheck).optional(),
    tcp: checkField(readTcpCheck).optional(),
    env: checkField(readEnvCheck).optional(),
  })
  .transform(({ http, tcp, env }, context): CheckSpec => {
    if (context.issues.length > 0) return z.NEVER;
    const [only, ...more] = [http, tcp, env].filter((spec) => spec !== undefined);
    if (only !== undefined && more.length === 0) return only;
    context.addIssue({ code: "custom", message: `A check has exactly one of "http", "tcp" and "env".` });
    return z.NEVER;
  });

/** The keys that every tool may have, whatever its kind. */
export const toolKeys = {
  name: legalName(),
  title: text.optional(),
  type: z.string().optional(),
  provider: z.string().optional(),
  description: z
    .string()
    .max(64 * 1024)
    .optional(),
  toolset: legalName().optional(),
  capabilities: names.optional(),
  tags: z.array(z.string().min(1).max(128)).max(MAX_LABELS).optional(),
  owner: text.optional(),
  contact: text.optional(),
  /** Checked by itself: see params.ts. */
  params: z.array(z.unknown()).optional(),
  input_schema: jsonSchema.optional(),
  output_schema: jsonSchema.optional(),
  annotations: annotations.optional(),
  execution: z.enum(["gateway", "client"]).optional(),
  timeout: duration({ minMs: 1, maxMs: MAX_TIMEOUT_MS }).optional(),
  retry: retry.optional(),
  rate_limit: rate().optional(),
  limits: limitsSchema.optional(),
  cache: z.strictObject({ ttl: duration({ minMs: 1 }) }).optional(),
  batch: batch.optional(),
  loop_guard: z.boolean().optional(),
  response: response.optional(),
  scopes: names.optional(),
  enabled: z.boolean().optional(),
  check: checkSchema.optional(),
};

const plainTool = z.strictObject(toolKeys);
export type ToolKeys = z.output<typeof plainTool>;
