import type { BackendAnswer, Envelope, LimitState, Violation } from "@toolgate/contract";
import { ToolgateClientError } from "./client-error.ts";
import { type JsonObject, type JsonValue, parseJson } from "./json.ts";

/** The answer to a call. Read `status` first: it says which of the other fields are there. */
export type CallResult<T = JsonValue> = SuccessResult<T> | DelegatedResult | ErrorResult;

interface AnyResult {
  /** The canonical name of the tool that answered. */
  readonly tool: string;
  readonly meta: CallMeta;
  /** The answer as it came. */
  readonly envelope: Envelope;
}

export interface SuccessResult<T = JsonValue> extends AnyResult {
  readonly status: "success";
  readonly data: T;
  /** The result as the gateway wrote it: every digit, also of fractions. */
  readonly dataJson: string;
  /** Set where the agent's own handler gave the result; `envelope` then holds the arguments. */
  readonly delegated?: true;
}

/** The tool is run by the agent itself; the gateway only checked the arguments. */
export interface DelegatedResult extends AnyResult {
  readonly status: "delegated";
  /** The arguments, corrected and checked. */
  readonly data: JsonObject;
  readonly dataJson: string;
}

export interface ErrorResult extends AnyResult {
  readonly status: "error";
  readonly error: CallError;
  /** Set where the agent's own handler failed. */
  readonly delegated?: true;
  /** What the handler threw. */
  readonly cause?: unknown;
}

export interface CallError {
  /** One of the list in docs/errors.md, such as "INVALID_ARGUMENT". */
  readonly code: string;
  /** "argument", "permission", "rate", "tool" or "network". */
  readonly class: string;
  readonly message: string;
  /** Whether the same call may succeed later and is safe to send again. */
  readonly retryable: boolean;
  /** Milliseconds to wait before trying again; unset where unknown. */
  readonly retryAfterMs?: number;
  /** Each place where the arguments do not fit, at most 50. */
  readonly violations: readonly Plain<Violation>[];
  readonly backendAnswer?: Plain<BackendAnswer>;
  /** Names close to an unknown tool's name, closest first. */
  readonly nearNames: readonly string[];
}

/** How the call went; times are wall-clock milliseconds. */
export interface CallMeta {
  readonly callId: string;
  readonly latencyMs: number;
  /** Waiting for a free slot. */
  readonly queueMs: number;
  /** In the backend, over all attempts. */
  readonly backendMs: number;
  readonly cached: boolean;
  /** Where `cached`: how long ago the result was made. */
  readonly cacheAgeMs?: number;
  /** 0 where the backend was not reached for. */
  readonly attempts: number;
  readonly toolset: string;
  /** As "kind:name". */
  readonly backend: string;
  readonly warnings: readonly string[];
  /** Whether the result was cut. */
  readonly truncated: boolean;
  readonly limits: readonly Plain<LimitState>[];
}

/** A message without what the protobuf runtime adds to it. */
type Plain<M> = Omit<M, "$typeName" | "$unknown">;

/** @throws ToolgateClientError INVALID_RESPONSE where the envelope is not one that this client knows. */
export function resultOf<T>(envelope: Envelope | undefined): CallResult<T> {
  if (envelope === undefined) throw invalid("The gateway answered without an envelope.");
  const base = { tool: envelope.tool, meta: metaOf(envelope), envelope };
  switch (envelope.status) {
    case "success": {
      const dataJson = payloadOf(envelope);
      return { status: "success", ...base, data: parsed(dataJson) as T, dataJson };
    }
    case "delegated": {
      const dataJson = payloadOf(envelope);
      return { status: "delegated", ...base, data: parsed(dataJson) as JsonObject, dataJson };
    }
    case "error":
      return { status: "error", ...base, error: errorOf(envelope) };
    default:
      throw invalid(
        `The gateway answered with the status ${JSON.stringify(envelope.status)}, which this client does not know ` +
          `(call_id ${envelope.meta?.callId}). Is the client older than the gateway?`,
      );
  }
}

function payloadOf({ payload, status }: Envelope): string {
  // The client always sends its arguments as text, and the answer comes in the same encoding.
  if (payload.case === "dataJson") return payload.value;
  throw invalid(`The gateway answered "${status}" without a result as JSON text.`);
}

function parsed(dataJson: string): JsonValue {
  try {
    return parseJson(dataJson);
  } catch (error) {
    throw invalid("The gateway's result is not JSON.", error);
  }
}

function errorOf({ error }: Envelope): CallError {
  if (error === undefined) throw invalid('The gateway answered "error" without saying which.');
  const { code, class: errorClass, message, retryable, retryAfterMs, backendAnswer } = error;
  return {
    code,
    class: errorClass,
    message,
    retryable,
    violations: error.violations.map(({ path, expected, got }) => ({ path, expected, got })),
    nearNames: error.nearNames,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(backendAnswer === undefined
      ? {}
      : { backendAnswer: { status: backendAnswer.status, body: backendAnswer.body } }),
  };
}

function metaOf({ meta }: Envelope): CallMeta {
  if (meta === undefined) throw invalid('The gateway answered without "meta".');
  const { callId, latencyMs, queueMs, backendMs, cached, attempts, toolset, backend, warnings, truncated } = meta;
  const limits = meta.limits.map(({ name, limit, remaining, resetMs, windowMs }) => {
    return { name, limit, remaining, resetMs, windowMs };
  });
  const age = meta.cacheAgeMs === undefined ? {} : { cacheAgeMs: meta.cacheAgeMs };
  return {
    callId,
    latencyMs,
    queueMs,
    backendMs,
    cached,
    ...age,
    attempts,
    toolset,
    backend,
    warnings,
    truncated,
    limits,
  };
}

function invalid(message: string, cause?: unknown): ToolgateClientError {
  return new ToolgateClientError("INVALID_RESPONSE", message, { mayHaveRun: true, cause });
}
