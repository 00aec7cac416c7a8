import { type ErrorCode, factsOf } from "./codes.ts";

/** One place where arguments do not fit a schema. */
export interface Violation {
  /** JSON Pointer (RFC 6901) into the arguments; empty for the whole. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

/** What a backend answered, when it answered with an error. */
export interface BackendAnswer {
  /** HTTP status code or gRPC status name. */
  readonly status: string;
  /** At most {@link BACKEND_BODY_LIMIT} characters. */
  readonly body: string;
}

export const BACKEND_BODY_LIMIT = 4096;

export interface ErrorDetails {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly violations?: readonly Violation[];
  readonly backendAnswer?: BackendAnswer;
  readonly nearNames?: readonly string[];
  /** For the log only: never leaves the gateway. */
  readonly cause?: unknown;
}

/**
 * The one error of a call. `message` is public: it goes to the caller as it
 * is, so it holds no secret, stack or local path. What else is known goes
 * into `cause`.
 */
export class ToolgateError extends Error {
  override readonly name = "ToolgateError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  get retryable(): boolean {
    return this.details.retryable ?? factsOf(this.code).callerMayRetry;
  }

  /** The one way in for what was thrown: anything unknown becomes INTERNAL. */
  static from(thrown: unknown): ToolgateError {
    if (thrown instanceof ToolgateError) return thrown;
    return new ToolgateError("INTERNAL", "The gateway failed; its log says why under this call_id.", {
      cause: thrown,
    });
  }
}
