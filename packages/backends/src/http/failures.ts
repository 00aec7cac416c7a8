import {
  callerGone,
  type Destination,
  durationInWords,
  type Invocation,
  isTimeout,
  lostAnswer,
  ToolgateError,
  unreachable,
} from "@toolgate/core";
import { ADDRESS_NOT_ALLOWED, NOT_ALLOWED_WORDS } from "../address-guard.ts";

/** How far a request got: decides whether the call may have been delivered. */
export type Phase = "waiting" | "connecting" | "sent" | "answering";

/** Whose request, and whereto. */
export interface Trip extends Destination {
  readonly invocation: Invocation;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly connections: number;
}

/** Plain words for what stops a connection from being made. */
const CONNECT_WORDS: Readonly<Record<string, string>> = {
  [ADDRESS_NOT_ALLOWED]: NOT_ALLOWED_WORDS,
  CERT_HAS_EXPIRED: "its TLS certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its TLS certificate is self-signed",
  EADDRNOTAVAIL: "no local port is free",
  EAI_AGAIN: "its name cannot be resolved at the moment",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "it closed the connection while it was being made",
  EHOSTUNREACH: "no route to the host",
  EMFILE: "this gateway has no file descriptor left",
  ENETUNREACH: "no route to its network",
  ENOTFOUND: "its name cannot be resolved",
  EPROTO: "it does not speak TLS as expected",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS on this port",
  ERR_TLS_CERT_ALTNAME_INVALID: "its TLS certificate is for another name",
  ETIMEDOUT: "it does not answer",
  SELF_SIGNED_CERT_IN_CHAIN: "its TLS certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its TLS certificate is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its TLS certificate is signed by an unknown authority",
  UND_ERR_CLOSED: "this gateway is shutting down",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_DESTROYED: "this gateway is shutting down",
};

/** Errors that another attempt would only repeat. */
const LASTING = new Set([ADDRESS_NOT_ALLOWED, "UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);
/** Our own mistake, not the backend's. */
const OWN_MISTAKES = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"]);

/** What an error of the connection means, by how far the request got. */
export function failureOf(trip: Trip, phase: Phase, error: Error): ToolgateError {
  const code = codeOf(error);
  if (phase === "sent" || phase === "answering") {
    return lostAnswer(trip.tool, `(${trip.address}) ${lossWords(phase, code)}`, error);
  }
  if (OWN_MISTAKES.has(code)) return ToolgateError.from(error);
  const words = CONNECT_WORDS[code] ?? "the connection failed";
  return unreachable(trip, words, { cause: error, retryable: !LASTING.has(code) });
}

/** What an aborted signal means, by how far the request got. */
export function givenUp(trip: Trip, phase: Phase): ToolgateError {
  const { signal, tool, timeoutMs } = trip.invocation;
  if (!isTimeout(signal.reason)) return callerGone(tool, phase === "sent" || phase === "answering");
  const within = `within ${durationInWords(timeoutMs)}`;
  if (phase === "sent") return lostAnswer(tool, `(${trip.address}) gave no answer ${within}`);
  if (phase === "answering") return lostAnswer(tool, `(${trip.address}) did not finish its answer ${within}`);
  if (phase === "connecting") return unreachable(trip, `no connection ${within}`);
  return unreachable(trip, `all ${trip.connections} connections were busy, and none came free ${within}`);
}

export function shuttingDown(trip: Trip): ToolgateError {
  return unreachable(trip, "this gateway is shutting down", { retryable: false });
}

function lossWords(phase: "sent" | "answering", code: string): string {
  if (code === "HTTPParserError") return "gave an answer that breaks the HTTP protocol";
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "gave an answer with headers that are too large";
  if (code === "UND_ERR_DESTROYED") return "was cut off because this gateway is shutting down";
  return phase === "sent" ? "closed the connection before it answered" : "broke off in the middle of its answer";
}

/** Where several addresses were tried, the first failure stands for all. */
function codeOf(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? codeOf(first) : error.name;
}
