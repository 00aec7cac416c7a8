import type { ToolFailure } from "@toolgate/contract";
import { BACKEND_BODY_LIMIT, cut, ownWords, type Tool, ToolgateError, unreachable } from "@toolgate/core";
import { type CallStatus, failureOf, type Trip, type UnaryEnd } from "../grpc-channel/index.ts";

const MAX_CODE = 128;

/** What a call that ended without an InvokeResponse means for the caller. */
export function errorOf(trip: Trip, end: Exclude<UnaryEnd, { kind: "answered" }>): ToolgateError {
  return end.kind === "status" ? brokenProvider(trip, end.status) : failureOf(trip, end);
}

/** The tool's own error, with the provider's words. */
export function toolFailure({ tool }: Trip, { message, code, retryable }: ToolFailure): ToolgateError {
  const body = cut(message, BACKEND_BODY_LIMIT);
  const words = body.trim() === "" ? "it gave no reason." : body;
  return new ToolgateError("TOOL_ERROR", `The tool "${tool.name}" failed: ${words}`, {
    backendAnswer: { status: cut(code, MAX_CODE), body },
    retryable,
  });
}

/** A provider tells failures in its answers: a status means that it is broken itself. */
function brokenProvider({ tool, address }: Trip, { name, details }: CallStatus): ToolgateError {
  const hint = name === "UNIMPLEMENTED" ? " Does it serve toolgate.v1.ToolProviderService?" : "";
  return new ToolgateError(
    "TOOL_ERROR",
    `The provider of "${tool.name}" (${address}) answered ${name}${ownWords(details)}${hint}`,
    { backendAnswer: { status: name, body: cut(details, BACKEND_BODY_LIMIT) }, retryable: name === "UNAVAILABLE" },
  );
}

/** The tool ran, and what came back cannot be used. */
export function nonsense({ tool, address }: Trip, what: string, cause?: unknown): ToolgateError {
  return new ToolgateError("RESULT_INVALID", `The provider of "${tool.name}" (${address}) sent ${what}.`, { cause });
}

export interface Outage {
  /** Those that were asked or are known to be out. */
  readonly addresses: readonly string[];
  readonly words: string;
  readonly retryAfterMs?: number;
}

export function nobodyThere(tool: Tool, { addresses, words, retryAfterMs }: Outage): ToolgateError {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  return unreachable({ tool, address: shown(addresses) }, words, details);
}

const SHOWN = 3;

function shown(addresses: readonly string[]): string {
  if (addresses.length === 1) return addresses[0] as string;
  const first = addresses.slice(0, SHOWN).join(", ") + (addresses.length > SHOWN ? ", …" : "");
  return `${addresses.length} instances${first === "" ? "" : `: ${first}`}`;
}
