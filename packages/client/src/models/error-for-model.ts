import type { CallOutcome } from "../call-many.ts";
import type { ClientErrorCode, ToolgateClientError } from "../client-error.ts";
import { stringifyJson } from "../json.ts";
import type { CallError } from "../result.ts";
import type { ToolNames } from "./tool-names.ts";

/** What a backend said is cut here: a model reads an error to act on it, not to study it. */
const MAX_BODY = 1_000;
const MAX_VIOLATIONS = 10;
const MAX_NEAR_NAMES = 3;

/** What a model can do about a failure that is none of the tool's. Addresses and keys are not for its eyes. */
const FOR_MODEL: Partial<Record<ClientErrorCode, string>> = {
  UNAUTHENTICATED: "The tools cannot be used: the agent is not signed in to them. Do not try again.",
  PERMISSION_DENIED: "The agent may not use this tool. Do not try again.",
  UNAVAILABLE: "The tools cannot be reached at the moment.",
  DEADLINE_EXCEEDED: "The tool did not answer in time.",
  CANCELLED: "The call was cancelled.",
  UNIMPLEMENTED: "The tools cannot be used this way. Do not try again.",
  INVALID_RESPONSE: "The tool's answer could not be read.",
  INTERNAL: "The call failed for a reason that lies in the agent.",
};

/** A failed call as short JSON for the model: {"error":{"code":…,"message":…}}. */
export function errorForModel(outcome: Exclude<CallOutcome, { status: "success" }>, names: ToolNames): string {
  switch (outcome.status) {
    case "error":
      return stringifyJson({ error: toolError(outcome.error, names) });
    case "failed":
      return stringifyJson({ error: failure(outcome.failure) });
    case "delegated":
      return errorText("TOOL_UNAVAILABLE", "This tool is run by the agent itself, which cannot do so now.");
  }
}

/** For a name that the model was not given. It goes to no gateway: what was not offered is not to be reached. */
export function unknownTool(name: string, names: ToolNames): string {
  const near = nearest(name, names.safe);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.map((known) => JSON.stringify(known)).join(" or ")}?`;
  return errorText("TOOL_NOT_FOUND", `There is no tool ${JSON.stringify(name.slice(0, 128))}.${hint}`);
}

function errorText(code: string, message: string): string {
  return stringifyJson({ error: { code, message } });
}

function toolError(error: CallError, names: ToolNames) {
  const { code, message, retryable, retryAfterMs, violations, nearNames, backendAnswer } = error;
  const near = nearNames.flatMap((name) => names.toSafe(name) ?? []);
  return {
    code,
    message,
    ...(retryable ? { retryable } : {}),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(violations.length === 0 ? {} : { violations: violations.slice(0, MAX_VIOLATIONS) }),
    ...(near.length === 0 ? {} : { near_names: near }),
    ...(backendAnswer === undefined ? {} : { answer: { ...backendAnswer, body: cut(backendAnswer.body) } }),
  };
}

function failure({ code, message, mayHaveRun }: ToolgateClientError) {
  return { code, message: FOR_MODEL[code] ?? message, ...(mayHaveRun ? { may_have_run: true } : {}) };
}

function cut(body: string): string {
  return body.length <= MAX_BODY ? body : `${body.slice(0, MAX_BODY).toWellFormed()}…`;
}

/** Names that share most pairs of neighbouring letters with a wrong one. */
function nearest(name: string, known: readonly string[]): string[] {
  const wanted = pairsOf(name);
  return known
    .map((candidate) => ({ candidate, likeness: likeness(wanted, pairsOf(candidate)) }))
    .filter(({ likeness }) => likeness >= 0.5)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_NEAR_NAMES)
    .map(({ candidate }) => candidate);
}

function pairsOf(name: string): Set<string> {
  const letters = name.toLowerCase().slice(0, 128);
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)));
}

/** Dice's coefficient: 0 for nothing in common, 1 for the same pairs. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((pair) => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size);
}
