import { status as grpcStatus, type Metadata, type StatusObject } from "@grpc/grpc-js";
import { connectWords } from "./connect-words.ts";
import { isReceiveLimit } from "./receive-limit.ts";

/** Name of a gRPC status code, such as "NOT_FOUND". */
export type StatusName = keyof typeof grpcStatus;

/** A status that the other side sent. */
export interface CallStatus {
  readonly name: StatusName;
  readonly details: string;
  readonly metadata: Metadata;
}

/** How a unary call ended. */
export type UnaryEnd =
  | { readonly kind: "answered"; readonly message: Buffer }
  /** The service answered with an error. */
  | { readonly kind: "status"; readonly status: CallStatus }
  /** Something answered that does not speak gRPC, such as a proxy with a page of HTML. */
  | { readonly kind: "not-grpc"; readonly httpStatus: number; readonly mediaType: string; readonly name: StatusName }
  /** Provably not delivered. `refused`: by a live server, so that another connection may do at once. */
  | { readonly kind: "undelivered"; readonly words: string; readonly refused?: true; readonly cause?: unknown }
  /** Delivered, or maybe. `words` are the end of "The backend …". */
  | { readonly kind: "lost"; readonly words: string; readonly cause?: unknown }
  | { readonly kind: "too-large" }
  /** The time was up, by the caller's signal or by the deadline. */
  | { readonly kind: "late"; readonly delivered: boolean }
  | { readonly kind: "cancelled"; readonly delivered: boolean }
  /** The channel was closed under the call. */
  | { readonly kind: "closed"; readonly delivered: boolean };

/** What is known of a call besides its status. */
export interface Progress {
  /** Whether a connection had been found for it. */
  readonly handedOver: boolean;
  /** The answer's headers, where they came before the status. */
  readonly headers: Metadata | undefined;
  readonly messages: readonly Buffer[];
  /** Whether the call's own time was up. */
  readonly isLate: boolean;
  /** The most bytes that the channel takes. */
  readonly receiveLimit: number;
}

const HTTP_STATUS = /^Received HTTP status code (\d{3})/;
/** A server says with this that it did nothing with the request (RFC 9113, 8.7), also by GOAWAY (6.8). */
const REFUSED = "Stream refused by server";
const NOT_STARTED = /^Failed to start HTTP\/2 stream with error /;
/** What grpc-js says when a connection or a stream ended under a call. */
const BROKEN =
  /^(Connection dropped|Received RST_STREAM|Bandwidth exhausted|Call cancelled$|Write (error|failed))|E(CONNRESET|TIMEDOUT|PIPE)\b/;

/**
 * Tells what a status means. grpc-js makes statuses of its own, with the codes
 * of the real ones. Those it makes have no metadata; one that a server sends
 * has some, or comes after the headers of the answer.
 */
export function verdictOf(status: StatusObject, progress: Progress): UnaryEnd {
  const { code, details } = status;
  if (code === grpcStatus.OK) return ofMessages(progress);
  const isBare = Object.keys(status.metadata.getMap()).length === 0;
  if (!progress.handedOver) return undelivered(status, progress);
  if (isBare && progress.headers === undefined && (details === REFUSED || NOT_STARTED.test(details))) {
    return { kind: "undelivered", words: "it refused the request unread", refused: true, cause: status };
  }
  if (code === grpcStatus.DEADLINE_EXCEEDED && progress.isLate) return { kind: "late", delivered: true };
  return ofForeign(status, progress) ?? (isBare ? ofBroken(status, progress) : undefined) ?? sent(status);
}

function undelivered(status: StatusObject, { isLate }: Progress): UnaryEnd {
  if (status.code === grpcStatus.DEADLINE_EXCEEDED && isLate) return { kind: "late", delivered: false };
  return { kind: "undelivered", words: connectWords(status.details), cause: status };
}

function ofMessages({ messages, headers }: Progress): UnaryEnd {
  const [message, second] = messages;
  if (message === undefined) return { kind: "lost", words: "ended its answer without a message" };
  if (second !== undefined) return { kind: "lost", words: "gave several answers where one was expected" };
  // Without this, half a message would be taken for none and a page for a message.
  return mediaTypeProblem(headers) ?? { kind: "answered", message };
}

/** An answer over HTTP that is not gRPC at all. */
function ofForeign({ code, details, metadata }: StatusObject, { headers }: Progress): UnaryEnd | undefined {
  const http = HTTP_STATUS.exec(details)?.[1];
  if (http === undefined || (http === "200" && isGrpc(headers ?? metadata))) return mediaTypeProblem(headers);
  const mediaType = mediaTypeOf(headers ?? metadata);
  return { kind: "not-grpc", httpStatus: Number(http), mediaType, name: nameOf(code) };
}

function mediaTypeProblem(headers: Metadata | undefined): UnaryEnd | undefined {
  if (headers === undefined || isGrpc(headers)) return undefined;
  return { kind: "not-grpc", httpStatus: 200, mediaType: mediaTypeOf(headers), name: "UNKNOWN" };
}

function mediaTypeOf(headers: Metadata): string {
  return String(headers.get("content-type")[0] ?? "").slice(0, 100);
}

/** Some servers leave the type out. */
function isGrpc(headers: Metadata): boolean {
  return /^(application\/grpc|$)/.test(mediaTypeOf(headers));
}

function ofBroken(status: StatusObject, { receiveLimit, headers }: Progress): UnaryEnd | undefined {
  const { code, details } = status;
  if (code === grpcStatus.RESOURCE_EXHAUSTED && isReceiveLimit(details, receiveLimit)) return { kind: "too-large" };
  if (!BROKEN.test(details)) return undefined;
  return { kind: "lost", words: brokenWords(details, headers !== undefined), cause: status };
}

function brokenWords(details: string, isAnswering: boolean): string {
  if (/without gRPC status/.test(details)) return "ended the call without a status";
  if (/^Call cancelled/.test(details)) return "cancelled the call";
  if (/RST_STREAM/.test(details)) return "broke the call off";
  return isAnswering ? "broke off in the middle of its answer" : "closed the connection before it answered";
}

function sent({ code, details, metadata }: StatusObject): UnaryEnd {
  if (HTTP_STATUS.test(details)) return { kind: "lost", words: "ended the call without a status" };
  return { kind: "status", status: { name: nameOf(code), details, metadata } };
}

/** A code that gRPC does not know is read as UNKNOWN, as its specification asks for. */
function nameOf(code: number): StatusName {
  return (grpcStatus[code] as StatusName | undefined) ?? "UNKNOWN";
}
