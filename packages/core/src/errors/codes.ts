/** Which part of a call went wrong; decides who can do something about it. */
export type ErrorClass = "argument" | "permission" | "rate" | "tool" | "network";

/**
 * Whether the gateway itself tries again:
 * `any_tool` because the call was provably not delivered, `idempotent_tools`
 * because it may have been, `by_tool` as the tool's `retryable_errors` say.
 */
export type GatewayRetry = "never" | "any_tool" | "idempotent_tools" | "by_tool";

export interface CodeFacts {
  readonly class: ErrorClass;
  /** HTTP status of the answer (RFC 9110; 499 is the usual one for a gone client). */
  readonly http: number;
  readonly retry: GatewayRetry;
  /** What `error.retryable` tells the caller where the error itself does not say. */
  readonly callerMayRetry: boolean;
  readonly meaning: string;
}

/** The one source of class, HTTP status and retry. `docs/errors.md` is checked against it. */
export const ERROR_CODES = {
  INVALID_ARGUMENT: {
    class: "argument",
    http: 400,
    retry: "never",
    callerMayRetry: false,
    meaning: "The arguments do not fit the tool's input schema, or the request is not well-formed.",
  },
  TOOL_NOT_FOUND: {
    class: "argument",
    http: 404,
    retry: "never",
    callerMayRetry: false,
    meaning: "No tool, capability or pipeline has this name.",
  },
  PERMISSION_DENIED: {
    class: "permission",
    http: 403,
    retry: "never",
    callerMayRetry: false,
    meaning: "The caller may not use this tool.",
  },
  BLOCKED: {
    class: "permission",
    http: 403,
    retry: "never",
    callerMayRetry: false,
    meaning: "A hook refused the call; the message is the hook's.",
  },
  LOOP_DETECTED: {
    class: "argument",
    http: 409,
    retry: "never",
    callerMayRetry: false,
    meaning: "The session makes the same calls over and over.",
  },
  RATE_LIMITED: {
    class: "rate",
    http: 429,
    retry: "never",
    callerMayRetry: true,
    meaning: "A rate limit is used up, the gateway's or the backend's.",
  },
  OVERLOADED: {
    class: "rate",
    http: 429,
    retry: "never",
    callerMayRetry: true,
    meaning: "All slots are busy and the queue is full or the wait was too long.",
  },
  TOOL_UNAVAILABLE: {
    class: "tool",
    http: 503,
    retry: "never",
    callerMayRetry: true,
    meaning: "The tool's check fails, or it is switched off. The backend was not reached for.",
  },
  CIRCUIT_OPEN: {
    class: "network",
    http: 503,
    retry: "never",
    callerMayRetry: true,
    meaning: "The backend failed too often just now and is left alone for a while.",
  },
  BACKEND_UNREACHABLE: {
    class: "network",
    http: 502,
    retry: "any_tool",
    callerMayRetry: true,
    meaning: "No connection to the backend: the call was provably not delivered.",
  },
  BACKEND_TIMEOUT: {
    class: "network",
    http: 504,
    retry: "idempotent_tools",
    callerMayRetry: true,
    meaning: "An idempotent tool's backend gave no answer in time, or closed the connection before answering.",
  },
  OUTCOME_UNKNOWN: {
    class: "network",
    http: 502,
    retry: "never",
    callerMayRetry: false,
    meaning: "The call was delivered and the answer was lost. The tool is not idempotent: it may have run.",
  },
  TOOL_ERROR: {
    class: "tool",
    http: 502,
    retry: "by_tool",
    callerMayRetry: false,
    meaning: "The tool answered with an error; its status and body are in `backend_answer`.",
  },
  RESULT_INVALID: {
    class: "tool",
    http: 502,
    retry: "never",
    callerMayRetry: false,
    meaning: "The tool ran, but its result does not fit the stated format, mapping or output schema.",
  },
  RESULT_TOO_LARGE: {
    class: "tool",
    http: 502,
    retry: "never",
    callerMayRetry: false,
    meaning: "The tool ran, but its result is larger than allowed.",
  },
  CANCELLED: {
    class: "network",
    http: 499,
    retry: "never",
    callerMayRetry: false,
    meaning: "The caller went away before the answer.",
  },
  INTERNAL: {
    class: "tool",
    http: 500,
    retry: "never",
    callerMayRetry: false,
    meaning: "The gateway failed. The cause is in its log under the call_id.",
  },
} as const satisfies Record<string, CodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;

export function factsOf(code: ErrorCode): CodeFacts {
  return ERROR_CODES[code];
}
