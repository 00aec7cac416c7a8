import {
  fitsDepth,
  type JsonValue,
  losesDigits,
  MAX_INTEGER_DIGITS,
  MAX_JSON_DEPTH,
  parseJson,
} from "../../json/json.ts";
import { ARRAY, BOOLEAN, FRACTION, INTEGER, NULL, OBJECT, type Types, typeOf } from "./types.ts";

const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const LONGEST_WORD = 16;
/** RFC 8259 section 6: no plus sign, no leading zero, no hexadecimal digits, no separators, no infinity. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * What a text says when it is read as JSON: the only value of one of these
 * types that it can mean, else `undefined`. Spaces around it do not count, and
 * the words true, false and null may be in capitals. A number that would lose
 * a digit is not read.
 * @param depth how deeply the text itself is nested
 */
export function readText(text: string, types: Types, depth: number): JsonValue | undefined {
  const trimmed = text.trim();
  const value = (types & (ARRAY | OBJECT)) !== 0 && isContainer(trimmed) ? parse(trimmed) : readScalar(trimmed, types);
  if (value === undefined || (typeOf(value) & types) === 0) return undefined;
  return fitsDepth(value, MAX_JSON_DEPTH - depth) ? value : undefined;
}

/** Whether a text is an array or an object in JSON, or was meant to be. */
export function isContainer(trimmed: string): boolean {
  return trimmed.startsWith("{") || trimmed.startsWith("[");
}

function readScalar(trimmed: string, types: Types): JsonValue | undefined {
  if ((types & (BOOLEAN | NULL)) !== 0 && trimmed.length <= LONGEST_WORD) {
    const word = WORDS.get(trimmed.toLowerCase());
    if (word !== undefined) return word;
  }
  if ((types & (INTEGER | FRACTION)) === 0 || trimmed.length > MAX_INTEGER_DIGITS) return undefined;
  return NUMBER.test(trimmed) ? parse(trimmed) : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    const value = parseJson(text);
    return losesDigits(text) ? undefined : value;
  } catch {
    return undefined;
  }
}
