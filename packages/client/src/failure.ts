import { Code, ConnectError } from "@connectrpc/connect";
import { type ClientErrorCode, ToolgateClientError } from "./client-error.ts";
import type { Door } from "./connection.ts";
import { foreignAnswer, PORTS, WORDLESS } from "./foreign-answer.ts";

/** What is known of the request that failed. */
export interface FailedRequest {
  /** For people: "127.0.0.1:50051". */
  readonly address: string;
  readonly door: Door;
  /** Unset where the request had no deadline. */
  readonly timeoutMs: number | undefined;
  /** The caller's own signal. */
  readonly signal: AbortSignal | undefined;
  /** Whether `close()` was called meanwhile. */
  readonly closed: boolean;
}

/** Codes with which a gateway itself answers (gRPC status codes), and whether the request may have run then. */
const ANSWERED: Partial<Record<Code, { code: ClientErrorCode; mayHaveRun: boolean }>> = {
  [Code.Unauthenticated]: { code: "UNAUTHENTICATED", mayHaveRun: false },
  [Code.PermissionDenied]: { code: "PERMISSION_DENIED", mayHaveRun: false },
  [Code.InvalidArgument]: { code: "INVALID_ARGUMENT", mayHaveRun: false },
  [Code.ResourceExhausted]: { code: "MESSAGE_TOO_LARGE", mayHaveRun: false },
  [Code.Unimplemented]: { code: "UNIMPLEMENTED", mayHaveRun: false },
  [Code.Unavailable]: { code: "UNAVAILABLE", mayHaveRun: false },
  [Code.DeadlineExceeded]: { code: "DEADLINE_EXCEEDED", mayHaveRun: true },
  [Code.Canceled]: { code: "UNAVAILABLE", mayHaveRun: true },
  [Code.Aborted]: { code: "UNAVAILABLE", mayHaveRun: true },
};

/** What browsers say where there was no answer; they tell a page no more than that. */
const FETCH_FAILED = /Failed to fetch|NetworkError|Load failed/;

/** What transports say where an answer, or its end, is missing. */
const CUT_OFF = new RegExp(
  [
    "http/2 stream closed|PING timed out|premature",
    "missing status|missing output message|missing EndStreamResponse|missing trailer",
    "RST_STREAM|No status information",
  ].join("|"),
);

/** Node's error codes for a connection that never came to be, in words. */
const NO_CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused. Is it running?",
  ENOTFOUND: "there is no host of that name.",
  EAI_AGAIN: "the name cannot be looked up at the moment.",
  EHOSTUNREACH: "there is no route to that host.",
  ENETUNREACH: "there is no route to that network.",
  ECONNRESET: "the connection was cut while it was made.",
  ETIMEDOUT: "the host does not answer.",
  EADDRNOTAVAIL: "that address cannot be reached from here.",
};

/** Anything that the transport threw, in the words and codes of this client. */
export function clientErrorOf(thrown: unknown, request: FailedRequest): ToolgateClientError {
  if (thrown instanceof ToolgateClientError) return thrown;
  const error = ConnectError.from(thrown);
  if (request.closed) return fault("CANCELLED", "The client was closed before the answer came.", error);
  if (request.signal?.aborted) return fault("CANCELLED", "The request was cancelled before the answer came.", error);
  if (error.isWireError) return answered(error);
  if (error.code === Code.DeadlineExceeded) {
    const limit = request.timeoutMs === undefined ? "its deadline" : `${request.timeoutMs / 1000} s`;
    return fault("DEADLINE_EXCEEDED", `No answer from ${request.address} within ${limit}.`, error);
  }
  return lost(error, request);
}

function answered(error: ConnectError): ToolgateClientError {
  const { code, mayHaveRun } = ANSWERED[error.code] ?? { code: "INTERNAL", mayHaveRun: true };
  const message = error.rawMessage === "" ? (WORDLESS[code] ?? wordless(error)) : error.rawMessage;
  return new ToolgateClientError(code, message, { mayHaveRun, cause: error });
}

function wordless(error: ConnectError): string {
  return `The gateway answered ${Code[error.code]} without a reason.`;
}

/**
 * What went wrong on the way. The transport has its own ideas here: a server
 * that dies in the middle of a call is "canceled" to it, and a stream that
 * the server refused is sometimes "internal".
 */
function lost(error: ConnectError, { address, door }: FailedRequest): ToolgateClientError {
  const reasons = causesOf(error);
  const text = reasons.map(({ message }) => message).join("\n");
  if (/readMaxBytes|writeMaxBytes/.test(text)) {
    return fault("MESSAGE_TOO_LARGE", "The answer is larger than this client reads.", error);
  }
  const foreign = foreignAnswer(text, address, door);
  if (foreign !== undefined) {
    return new ToolgateClientError(foreign.code, foreign.message, { mayHaveRun: foreign.mayHaveRun, cause: error });
  }
  const connecting = reasons.find(({ syscall }) => syscall === "connect" || syscall === "getaddrinfo");
  if (connecting !== undefined || /connection establishment timed out/.test(text)) {
    const why = NO_CONNECTION[connecting?.code ?? "ETIMEDOUT"] ?? `${connecting?.message}.`;
    const message = `Cannot reach a gateway at ${address}: ${why}`;
    return new ToolgateClientError("UNAVAILABLE", message, { mayHaveRun: false, cause: error });
  }
  if (/REFUSED_STREAM/.test(text)) {
    const message = `The gateway at ${address} refused the request before reading it; it is stopping or busy.`;
    return new ToolgateClientError("UNAVAILABLE", message, { mayHaveRun: false, cause: error });
  }
  if (isLostConnection(error, reasons, text)) {
    const message = `The connection to ${address} was lost before the answer came. The request may have run.`;
    return fault("UNAVAILABLE", message, error);
  }
  if (/protocol error|illegal tag|invalid wire type/.test(text)) {
    const message = `What ${address} answered cannot be read. Is that the port of ${PORTS[door]}?`;
    return fault("INVALID_RESPONSE", message, error);
  }
  if (FETCH_FAILED.test(text)) {
    const hint = "Is it running, and is this page's origin among its allowed_origins?";
    return fault("UNAVAILABLE", `No answer from a gateway at ${address}. ${hint}`, error);
  }
  return fault("INTERNAL", `The request could not be sent: ${error.rawMessage}`, error);
}

function isLostConnection(error: ConnectError, reasons: readonly Reason[], text: string): boolean {
  return (
    [Code.Canceled, Code.Aborted, Code.Unavailable].includes(error.code) ||
    reasons.some(({ code }) => code !== undefined) ||
    CUT_OFF.test(text)
  );
}

interface Reason {
  readonly message: string;
  readonly code?: string;
  readonly syscall?: string;
}

/** The error, what caused it, and each part of an AggregateError on the way (one for each address of a name). */
function causesOf(error: unknown, depth = 0): Reason[] {
  if (!(error instanceof Error) || depth > 8) return [];
  const { message, code, syscall } = error as Error & { code?: unknown; syscall?: unknown };
  const own: Reason = {
    message,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof syscall === "string" ? { syscall } : {}),
  };
  const parts = error instanceof AggregateError ? error.errors : [];
  return [own, ...[error.cause, ...parts].flatMap((inner) => causesOf(inner, depth + 1))];
}

function fault(code: ClientErrorCode, message: string, cause: ConnectError): ToolgateClientError {
  return new ToolgateClientError(code, message, { mayHaveRun: true, cause });
}
