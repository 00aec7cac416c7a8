/**
 * Why there is no envelope. A call that the gateway took always ends in an
 * envelope; these are for what comes before, and for a lost connection.
 *
 * - `UNAUTHENTICATED`, `PERMISSION_DENIED`: no known API key, or not allowed to.
 * - `INVALID_ARGUMENT`: the request or an option cannot be used.
 * - `MESSAGE_TOO_LARGE`: the request, or the answer, is larger than allowed.
 * - `UNAVAILABLE`: no gateway there, it is stopping, or the connection broke.
 * - `DEADLINE_EXCEEDED`: no answer in time.
 * - `CANCELLED`: the caller's signal, or `close()`, ended it.
 * - `UNIMPLEMENTED`: this gateway does not offer the method.
 * - `INVALID_RESPONSE`: the answer is not one that this client understands.
 * - `INTERNAL`: the gateway, or the client, failed.
 */
export type ClientErrorCode =
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "INVALID_ARGUMENT"
  | "MESSAGE_TOO_LARGE"
  | "UNAVAILABLE"
  | "DEADLINE_EXCEEDED"
  | "CANCELLED"
  | "UNIMPLEMENTED"
  | "INVALID_RESPONSE"
  | "INTERNAL";

export interface ClientErrorDetails {
  readonly mayHaveRun: boolean;
  readonly cause?: unknown;
}

export class ToolgateClientError extends Error {
  override readonly name = "ToolgateClientError";
  readonly code: ClientErrorCode;
  /**
   * False: the request provably never ran, so sending it again repeats nothing.
   * True: nobody knows. The client itself never sends anything twice.
   */
  readonly mayHaveRun: boolean;

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.mayHaveRun = details.mayHaveRun;
  }
}
