import { type Code, ConnectError } from "@connectrpc/connect";
import type { StatusObject } from "@grpc/grpc-js";
import { MAX_ANSWER_BYTES } from "../connection.ts";
import { headersOf } from "./metadata.ts";

/**
 * What grpc-js itself says where no gateway said anything. A status does not
 * tell who made it, so its words must: only these are the channel's own.
 */
const OWN_WORDS = [
  /^Deadline exceeded/,
  /^No connection established/,
  /^Name resolution failed/,
  /^Connection dropped/,
  /^Cancelled on client/,
  /^Call cancelled/,
  /^Received RST_STREAM/,
  /^Stream refused by server/,
  /^Received HTTP status code/,
  /^No status information received/,
  /^No message received/,
  /^Response message parsing error/,
  /^Request message serialization failure/,
  /^Failed to start HTTP\/2 stream/,
  /^Write (error|failed)/,
  /^Channel closed/,
  /^The channel has been closed/,
  // A gateway has the same words for a request that is too large, but another bound.
  new RegExp(`^Received message .*larger than.* ${MAX_ANSWER_BYTES}\\b`),
];

/** A status that is not OK, as Connect's transports tell it. gRPC's and Connect's codes are the same numbers. */
export function connectErrorOf({ code, details, metadata }: StatusObject): ConnectError {
  const error = new ConnectError(details, code as number as Code, headersOf(metadata));
  error.isWireError = !OWN_WORDS.some((words) => words.test(details));
  if (!error.isWireError) error.cause = causeOf(details);
  return error;
}

/** grpc-js reads the text of another service as the length of a message: four letters make more than this. */
const LETTERS_AS_LENGTH = 0x20000000;

/** The failure below, in the form that Node gives it, as far as the words tell. */
function causeOf(details: string): Error | undefined {
  if (details.startsWith("Name resolution failed")) return failedAt("getaddrinfo", "ENOTFOUND", details);
  if (details.startsWith("Stream refused by server")) return new Error("REFUSED_STREAM");
  const size = /^Received message .*larger .*\((\d+)/.exec(details)?.[1];
  if (size !== undefined) return new Error(Number(size) < LETTERS_AS_LENGTH ? "readMaxBytes" : "Protocol error");
  if (!details.startsWith("No connection established") || /Protocol error/.test(details)) return undefined;
  return failedAt("connect", /\bE[A-Z]{4,}\b/.exec(details)?.[0], "no connection could be made");
}

function failedAt(syscall: string, code: string | undefined, message: string): Error {
  return Object.assign(new Error(message), { syscall, code });
}
