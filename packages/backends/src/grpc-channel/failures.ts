import { STATUS_CODES } from "node:http";
import {
  answerTooLarge,
  callerGone,
  type Destination,
  durationInWords,
  lostAnswer,
  ToolgateError,
  unreachable,
} from "@toolgate/core";
import type { UnaryEnd } from "./verdict.ts";

/** Whose call, and whereto. */
export interface Trip extends Destination {
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
      return answerTooLarge(trip);
    case "not-grpc":
      return notGrpc(trip, end);
    case "late":
      return late(trip, end.delivered);
    case "cancelled":
      return callerGone(trip.tool, end.delivered);
    case "closed": {
      if (end.delivered)
        return lostAnswer(trip.tool, `(${trip.address}) was cut off because this gateway is shutting down`);
      return unreachable(trip, "this gateway is shutting down", { retryable: false });
    }
  }
}

function late(trip: Trip, delivered: boolean): ToolgateError {
  const within = `within ${durationInWords(trip.timeoutMs)}`;
  if (!delivered) return unreachable(trip, `no connection ${within}`);
  return lostAnswer(trip.tool, `(${trip.address}) gave no answer ${within}`);
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
