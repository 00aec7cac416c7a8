import { STATUS_CODES } from "node:http";
import { answerTooLarge, BACKEND_BODY_LIMIT, cut, ownWords, type Reply, ToolgateError } from "@toolgate/core";
import { type Content, decodeText, decompress, isCompressed } from "./content.ts";
import type { Trip } from "./failures.ts";
import { retryAfterMs } from "./retry-after.ts";

/** What the backend answered; of an error the body may be only its beginning. */
export interface Answer extends Content {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
}

/** Enough bytes for {@link BACKEND_BODY_LIMIT} characters: the body of an error is read no further. */
export const ERROR_BODY_BYTES = BACKEND_BODY_LIMIT * 4;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The reply that a 2xx answer is. The text goes on untouched: no digit of a number is lost here. */
export function replyOf(trip: Trip, answer: Answer): Reply | Promise<Reply> {
  if (!isCompressed(answer.encoding)) return textReply(trip, answer.bytes, answer.mediaType);
  return inflateReply(trip, answer);
}

async function inflateReply(trip: Trip, answer: Answer): Promise<Reply> {
  const plain = await decompress(answer, trip.tool.response.maxBytes);
  if ("bytes" in plain) return textReply(trip, plain.bytes, answer.mediaType);
  if (plain.failed === "too-large") throw answerTooLarge(trip);
  const why =
    plain.failed === "broken" ? `is not what its content-encoding says` : "has a content-encoding that is not known";
  throw invalid(trip, why);
}

function textReply(trip: Trip, bytes: Buffer, mediaType: string): Reply {
  const decoded = decodeText(bytes, mediaType);
  if ("binary" in decoded) {
    const type = mediaType === "" ? "of no stated type" : mediaType;
    throw invalid(trip, `is binary (${type}, ${bytes.length} bytes); only text can be passed on`);
  }
  const { text, warning } = decoded;
  return warning === undefined
    ? { kind: "text", text, mediaType }
    : { kind: "text", text, mediaType, warnings: [warning] };
}

function invalid({ tool, address }: Trip, why: string): ToolgateError {
  return new ToolgateError("RESULT_INVALID", `The answer of "${tool.name}" (${address}) ${why}.`);
}

/**
 * The error that an answer outside 2xx is. Redirects are not followed: where
 * they lead is the backend's choice, not the operator's.
 *
 * @param now milliseconds since the epoch, for a `Retry-After` that is a date.
 */
export async function errorOf(trip: Trip, answer: Answer, now: number): Promise<ToolgateError> {
  const { status } = answer;
  const body = await errorText(answer);
  const wait = retryAfterMs(answer.retryAfter, now);
  const details = {
    backendAnswer: { status: String(status), body },
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
  const said = `The backend of "${trip.tool.name}" (${trip.address}) answered ${statusLine(status)}`;
  if (status === 429)
    return new ToolgateError("RATE_LIMITED", `${said}: its own limit is used up${ownWords(body)}`, details);
  if (status === 503)
    return new ToolgateError("TOOL_ERROR", `${said}${ownWords(body)}`, { ...details, retryable: true });
  if (status < 400) return new ToolgateError("TOOL_ERROR", `${said}${redirectWords(trip, answer)}`, details);
  return new ToolgateError("TOOL_ERROR", `${said}${ownWords(body)}`, details);
}

function statusLine(status: number): string {
  const words = STATUS_CODES[status];
  return words === undefined ? String(status) : `${status} ${words}`;
}

function redirectWords(trip: Trip, { location }: Answer): string {
  if (location === undefined) return ". Redirects are not followed.";
  return ` and points to ${shown(trip, location)}. Redirects are not followed: make that the tool's endpoint if it is right.`;
}

/** Without query and credentials: they may hold what nobody else should see. */
function shown(trip: Trip, location: string): string {
  try {
    const url = new URL(location, `${trip.origin}/`);
    return cut(JSON.stringify(`${url.origin}${url.pathname}`), 200);
  } catch {
    return "an address that is not valid";
  }
}

async function errorText(answer: Answer): Promise<string> {
  const plain = isCompressed(answer.encoding) ? await decompress(answer, ERROR_BODY_BYTES) : { bytes: answer.bytes };
  if ("failed" in plain) return "";
  const decoded = decodeText(plain.bytes, answer.mediaType === "" ? "text/plain" : answer.mediaType);
  return "binary" in decoded ? "" : cut(decoded.text, BACKEND_BODY_LIMIT);
}
