import { CacheControl, type CallRequest } from "@toolgate/contract";
import {
  type Call,
  type Caller,
  type CallInput,
  type CallTarget,
  type Door,
  escapePointer,
  type JsonObject,
  type JsonValue,
  newTrail,
  ToolgateError,
  type TraceContext,
} from "@toolgate/core";

/** What a door knows of a call besides its message. */
export interface Arrival {
  readonly caller: Caller;
  readonly door: Door;
  readonly trace: TraceContext;
  /** On the monotonic clock. */
  readonly receivedAt: number;
  readonly deadlineAt?: number;
  readonly signal: AbortSignal;
  readonly newCallId: () => string;
}

const MAX_ID = 128;
const MAX_KEY = 256;
const MAX_FIELDS = 100;
const NO_TARGET: CallTarget = { kind: "tool", name: "" };

/**
 * A request as a call. What is wrong with the request itself comes as the
 * second part, so that the door can still answer an envelope.
 */
export function callFromMessage(request: CallRequest, arrival: Arrival): { call: Call; problem?: ToolgateError } {
  const { newCallId, ...known } = arrival;
  const problem = problemOf(request);
  const call: Call = {
    ...known,
    target: targetOf(request) ?? NO_TARGET,
    input: inputOf(request),
    callId: request.callId === "" || request.callId.length > MAX_ID ? newCallId() : request.callId,
    cache: cacheOf(request.cache),
    raw: request.raw,
    fields: request.fields,
    trail: newTrail(),
    ...(request.sessionId === "" ? {} : { sessionId: request.sessionId }),
    ...(request.idempotencyKey === "" ? {} : { idempotencyKey: request.idempotencyKey }),
  };
  return problem === undefined ? { call } : { call, problem };
}

function problemOf(request: CallRequest): ToolgateError | undefined {
  const tooLong = (what: string, value: string, limit: number) =>
    value.length <= limit ? undefined : `The ${what} is ${value.length} characters long; at most ${limit} are allowed.`;
  const sentence =
    (targetOf(request) === undefined ? 'The call names no "tool", "capability" or "pipeline".' : undefined) ??
    tooLong("call_id", request.callId, MAX_ID) ??
    tooLong("session_id", request.sessionId, MAX_ID) ??
    tooLong("idempotency_key", request.idempotencyKey, MAX_KEY) ??
    (request.fields.length > MAX_FIELDS ? `The list of fields is longer than ${MAX_FIELDS}.` : undefined);
  return sentence === undefined ? notJson(request) : new ToolgateError("INVALID_ARGUMENT", sentence);
}

/** A Struct can hold NaN and Infinity; JSON cannot, and a backend would silently get null. */
function notJson({ input }: CallRequest): ToolgateError | undefined {
  const found = input.case === "arguments" ? nonFinite(input.value as JsonObject) : undefined;
  if (found === undefined) return undefined;
  return new ToolgateError(
    "INVALID_ARGUMENT",
    `The argument at ${found.path} is ${found.got}, which JSON has no number for.`,
    {
      violations: [{ ...found, expected: "a finite number" }],
    },
  );
}

/** The first number that is none, with its JSON Pointer (RFC 6901). */
function nonFinite(value: JsonValue): { readonly path: string; readonly got: string } | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path: "", got: String(value) };
  if (value === null || typeof value !== "object") return undefined;
  for (const [key, part] of Object.entries(value)) {
    const found = nonFinite(part);
    if (found === undefined) continue;
    return { ...found, path: `/${escapePointer(key)}${found.path}` };
  }
  return undefined;
}

function targetOf({ target }: CallRequest): CallTarget | undefined {
  return target.case === undefined || target.value === "" ? undefined : { kind: target.case, name: target.value };
}

function inputOf({ input }: CallRequest): CallInput {
  switch (input.case) {
    case "arguments":
      return { encoding: "value", value: input.value as JsonObject };
    case "argumentsJson":
      return { encoding: "text", text: input.value };
    case undefined:
      return { encoding: "value", value: {} };
  }
}

function cacheOf(control: CacheControl): Call["cache"] {
  if (control === CacheControl.BYPASS) return "bypass";
  return control === CacheControl.REFRESH ? "refresh" : "default";
}
