/**
 * JSON that keeps every digit of an integer: one written without fraction or
 * exponent, and beyond 2^53 - 1 either way, is a `bigint` here, and comes out
 * of {@link stringifyJson} as the same token. All other numbers are doubles.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

interface ParseContext {
  readonly source?: string;
}
type SourceReviver = (key: string, value: unknown, context: ParseContext) => unknown;

// Features of ECMAScript 2026 that TypeScript's library does not describe yet.
const sourceText = JSON as unknown as {
  parse(text: string, reviver: SourceReviver): unknown;
  rawJSON(text: string): unknown;
};

/** Only these texts can hold a number that `JSON.parse` alone would change. */
const SUSPECT = /\d{16}|[eE]\+?\d{3}/;
const INTEGER = /^-?\d+$/;
/** Making a bigint takes time that grows with the square of its digits. */
export const MAX_INTEGER_DIGITS = 1_000;

/** Whoever walks a value that is nested deeper than this may run out of stack. */
export const MAX_JSON_DEPTH = 512;

/**
 * Parses JSON text (RFC 8259, with the limit on depth that its section 9 allows).
 *
 * @throws SyntaxError where the text is not JSON, is nested deeper than
 * {@link MAX_JSON_DEPTH}, or has a number beyond the range of a double or an
 * integer of more than {@link MAX_INTEGER_DIGITS} digits.
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  // Each level takes two characters, so most texts need no closer look.
  if (text.length > 2 * MAX_JSON_DEPTH && !fitsDepth(value, MAX_JSON_DEPTH)) {
    throw new SyntaxError(`The JSON is nested more than ${MAX_JSON_DEPTH} levels deep`);
  }
  if (!SUSPECT.test(text)) return value;
  return sourceText.parse(text, keepDigits) as JsonValue;
}

/** Whether a parsed value has at most this many levels of arrays and objects. */
export function fitsDepth(value: JsonValue, levels: number): boolean {
  if (value === null || typeof value !== "object") return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => fitsDepth(item, levels - 1));
  for (const key in value) if (!fitsDepth(value[key] as JsonValue, levels - 1)) return false;
  return true;
}

function keepDigits(_key: string, value: unknown, context: ParseContext): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (context.source !== undefined && INTEGER.test(context.source)) return wholeNumber(context.source);
  if (!Number.isFinite(value)) throw new SyntaxError(`The number ${context.source} is out of range`);
  return value;
}

function wholeNumber(digits: string): bigint {
  if (digits.length <= MAX_INTEGER_DIGITS) return BigInt(digits);
  throw new SyntaxError(`The JSON has an integer of more than ${MAX_INTEGER_DIGITS} digits`);
}

/** Only these texts can hold a number with a fraction or an exponent that a double may not be equal to. */
const SUSPECT_DOUBLE = /[\d.]{17}|\d[eE]/;

/**
 * Whether a number of this JSON text is another one after {@link parseJson}:
 * one with a fraction or an exponent, and more digits than a double has.
 */
export function losesDigits(text: string): boolean {
  if (!SUSPECT_DOUBLE.test(text)) return false;
  let lost = false;
  sourceText.parse(text, (_key, value, { source }) => {
    if (typeof value === "number" && source !== undefined && !INTEGER.test(source)) {
      lost ||= decimalOf(source) !== decimalOf(String(value));
    }
    return value;
  });
  return lost;
}

/** The digits that count, and their exponent: the same for `1.50` and `15e-1`. The sign is left out. */
function decimalOf(number: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === "0") start += 1;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return "0";
  return `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** Writes a value as JSON text, without spaces; the inverse of {@link parseJson}. */
export function stringifyJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!containsBigInt(value)) throw error;
    return JSON.stringify(value, (_key, part) =>
      typeof part === "bigint" ? sourceText.rawJSON(part.toString()) : part,
    );
  }
}

export function containsBigInt(value: JsonValue): boolean {
  if (typeof value === "bigint") return true;
  if (value === null || typeof value !== "object") return false;
  return Object.values(value).some(containsBigInt);
}

/**
 * Replaces each `bigint`, for readers that know only doubles. A value without
 * one is returned as it is, not copied.
 */
export function replaceBigInts(value: JsonValue, replace: (digits: bigint) => JsonValue): JsonValue {
  if (!containsBigInt(value)) return value;
  if (typeof value === "bigint") return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceBigInts(item, replace));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [key, replaceBigInts(item, replace)]),
  );
}

/** The same text for equal values: keys sorted, as in RFC 8785. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value !== "object") return stringifyJson(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  let members = "";
  for (const key of Object.keys(value).sort()) {
    const comma = members === "" ? "" : ",";
    members += `${comma}${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`;
  }
  return `{${members}}`;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name of a value's JSON type, with an article-free noun: "array", "integer". */
export function jsonTypeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
