import { STATUS_CODES } from "node:http";
import { lostAnswer, type Tool, ToolgateError } from "@toolgate/core";
import type { UnaryEnd } from "./verdict.ts";

/** Whose call, and whereto. */
export interface Trip {
  readonly tool: Tool;
  /** "host:port". */
  readonly address: string;
  readonly timeoutMs: number;
}

/** How a call can end without an answer of the service. */
export type FailedEnd = Exclude<UnaryEnd, { kind: "answered" | "status" }>;

/** What an end without an answer means for the caller. */
export function failureOf(trip: Trip, end: FailedEnd): ToolgateError {
  switch (end.kind) {
    case "undelivered":
      return unreachable(trip, end.words, { cause: end.cause });
    case "lost":
      return lostAnswer(trip.tool, `(${trip.address}) ${end.words}`, end.cause);
    case "too-large":
      return tooLarge(trip);
    case "not-grpc":
      return notGrpc(trip, end);
    case "late":
      return late(trip, end.delivered);
    case "cancelled":
      return cancelled(trip, end.delivered);
    case "closed": {
      if (end.delivered)
        return lostAnswer(trip.tool, `(${trip.address}) was cut off because this gateway is shutting down`);
      return unreachable(trip, "this gateway is shutting down", { retryable: false });
    }
  }
}

export function unreachable(
  { tool, address }: Trip,
  words: string,
  details: { readonly cause?: unknown; readonly retryable?: boolean; readonly retryAfterMs?: number } = {},
): ToolgateError {
  return new ToolgateError(
    "BACKEND_UNREACHABLE",
    `The backend of "${tool.name}" (${address}) cannot be reached: ${words}. The call was not delivered.`,
    details,
  );
}

export function tooLarge({ tool, address }: Trip): ToolgateError {
  return new ToolgateError(
    "RESULT_TOO_LARGE",
    `The answer of "${tool.name}" (${address}) is larger than the ${tool.response.maxBytes} bytes that are allowed. ` +
      "Ask for less, or raise the tool's response.max_bytes.",
  );
}

function late(trip: Trip, delivered: boolean): ToolgateError {
  const within = `within ${seconds(trip.timeoutMs)}`;
  if (!delivered) return unreachable(trip, `no connection ${within}`);
  return lostAnswer(trip.tool, `(${trip.address}) gave no answer ${within}`);
}

function cancelled({ tool }: Trip, delivered: boolean): ToolgateError {
  const fate = delivered ? "The call had been delivered; the tool may have run." : "The backend was not reached.";
  return new ToolgateError("CANCELLED", `The caller went away before "${tool.name}" had answered. ${fate}`);
}

/** Statuses of proxies that say that what is behind them is away for a while (RFC 9110). */
const PASSING = new Set([502, 503, 504]);

function notGrpc({ tool, address }: Trip, end: FailedEnd & { kind: "not-grpc" }): ToolgateError {
  const { httpStatus, mediaType, name } = end;
  const words = STATUS_CODES[httpStatus];
  const type = mediaType === "" ? "" : ` with ${JSON.stringify(mediaType)}`;
  return new ToolgateError(
    "TOOL_ERROR",
    `The backend of "${tool.name}" (${address}) answered HTTP ${httpStatus}${words === undefined ? "" : ` ${words}`}${type} ` +
      "and not gRPC. Is there a proxy in between, or another service on that port?",
    { backendAnswer: { status: name, body: `HTTP ${httpStatus}` }, retryable: PASSING.has(httpStatus) },
  );
}

export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
