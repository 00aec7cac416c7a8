import { type JsonValue, jsonTypeOf, nearNames, quotedExcerpt } from "@toolgate/core";
import type { z } from "zod";

type RawIssue = z.core.$ZodRawIssue;

const NOUNS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  integer: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a map",
  record: "a map",
  null: "empty",
};
const GOT: Readonly<Record<string, string>> = { ...NOUNS, boolean: "true/false", null: "nothing" };
const SHOWN_LENGTH = 64;
/** What a schema calls the value that it was given. */
const WHOLE = "The document";

/**
 * Says in one sentence what a schema found wrong, in the words of the
 * document: expected and got. Used as zod's error map, so a schema's own
 * words come first. Shows values only where the schema lists the allowed ones.
 */
export function sentenceFor(issue: RawIssue): string {
  const subject = subjectOf(issue);
  const { input } = issue;
  if (input === undefined && issue.code !== "unrecognized_keys") return missing(issue);
  switch (issue.code) {
    case "unrecognized_keys":
      return unknownKeys(issue.keys, knownKeysOf(issue.inst));
    case "invalid_type":
      if (typeof input === "bigint" && issue.expected === "number") return `${subject} must be a number within ±2^53.`;
      return `${subject} must be ${nounOf(issue.expected)}, not ${gotOf(input)}.${hintFor(issue.expected, input)}`;
    case "invalid_value":
      return oneOf(subject, issue.values.map(String), input);
    case "too_small":
    case "too_big":
      return `${subject} must ${boundOf(issue)}.`;
    case "not_multiple_of":
      return `${subject} must be a multiple of ${issue.divisor}.`;
    case "invalid_format":
      return `${subject} must be ${issue.format === "url" ? "a URL" : "of the right form"}.`;
    case "invalid_key":
      return `The key ${subject} is not allowed here.${ownWords(issue.issues)}`;
    default:
      return `${subject} is not valid.`;
  }
}

export function subjectOf(issue: { readonly path?: readonly PropertyKey[] | undefined }): string {
  const path = issue.path ?? [];
  const last = path.at(-1);
  if (last === undefined) return WHOLE;
  if (typeof last !== "number") return JSON.stringify(String(last));
  const list = path.at(-2);
  return list === undefined ? `Item ${last + 1}` : `Item ${last + 1} of ${JSON.stringify(String(list))}`;
}

function gotOf(input: unknown): string {
  if (typeof input === "bigint") return "a number beyond 2^53";
  if (typeof input === "number" && !Number.isInteger(input)) return "a fraction";
  return GOT[jsonTypeOf(input as JsonValue)] ?? "something else";
}

export function nounOf(expected: string): string {
  return NOUNS[expected] ?? expected;
}

/** Puts the real name of a value where a schema for a part of the document could only say "The document". */
export function withSubject(sentence: string, path: readonly PropertyKey[]): string {
  if (path.length === 0 || !sentence.startsWith(`${WHOLE} `)) return sentence;
  return subjectOf({ path }) + sentence.slice(WHOLE.length);
}

/** One sentence a line, in the order of `keys`. */
function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  return keys.map((key) => `Unknown key ${show(key)}.${didYouMean(key, known)}`).join("\n");
}

export function didYouMean(got: string, known: Iterable<string>): string {
  const [near] = nearNames(got, known, 1);
  return near === undefined ? "" : ` Did you mean ${show(near)}?`;
}

function knownKeysOf(inst: unknown): readonly string[] {
  const def = (inst as z.core.$ZodType | undefined)?._zod.def;
  return def?.type === "object" ? Object.keys((def as z.core.$ZodObjectDef).shape) : [];
}

function missing(issue: RawIssue): string {
  const last = issue.path?.at(-1);
  const name = last === undefined ? "A key" : `The key ${JSON.stringify(String(last))}`;
  if (issue.code === "invalid_type") return `${name} is missing: expected ${nounOf(issue.expected)}.`;
  if (issue.code === "invalid_value") return `${name} is missing: expected ${listed(issue.values.map(String))}.`;
  return `${name} is missing.`;
}

/** What a schema says in words of its own, rather than in those of {@link sentenceFor}. */
function ownWords(issues: readonly z.core.$ZodIssue[]): string {
  const own = issues.find(({ code }) => code === "custom");
  return own === undefined ? "" : ` ${own.message}`;
}

function hintFor(expected: string, input: unknown): string {
  const isBare = typeof input === "number" || typeof input === "boolean" || typeof input === "bigint";
  return expected === "string" && isBare ? " Put it in quotes." : "";
}

function oneOf(subject: string, allowed: readonly string[], input: unknown): string {
  if (typeof input !== "string") return `${subject} must be ${listed(allowed)}, not ${gotOf(input)}.`;
  return `${subject} must be ${listed(allowed)}, not ${show(input)}.${didYouMean(input, allowed)}`;
}

function boundOf(issue: Extract<RawIssue, { code: "too_small" | "too_big" }>): string {
  const [bound, word] = issue.code === "too_small" ? [issue.minimum, "at least"] : [issue.maximum, "at most"];
  switch (issue.origin) {
    case "string":
      return bound === 1 && word === "at least" ? "not be empty" : `be ${word} ${bound} characters long`;
    case "array":
    case "record":
    case "object":
      return bound === 1 && word === "at least" ? "not be empty" : `have ${word} ${bound} entries`;
    default:
      return issue.inclusive === false
        ? `be ${word === "at least" ? "more" : "less"} than ${bound}`
        : `be ${word} ${bound}`;
  }
}

/** `"a"`, `"a" or "b"`, `"a", "b" or "c"`. */
export function listed(values: readonly string[]): string {
  const quoted = values.map(show);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

function show(text: string): string {
  return quotedExcerpt(text, SHOWN_LENGTH);
}
