/**
 * JSON as Toolgate carries it: an integer that a double cannot hold exactly is
 * a `bigint`, and is written with all its digits again.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

// ECMAScript 2026, which TypeScript's library does not describe yet.
const withSource = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** No text without such a run of digits holds an integer beyond 2^53. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** @throws SyntaxError where the text is not JSON. */
export function parseJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
  return withSource.parse(text, (_key, value, { source }) => {
    const unsafe = typeof value === "number" && !Number.isSafeInteger(value);
    return unsafe && source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
  }) as JsonValue;
}

/**
 * Writes a value as JSON. Unlike `JSON.stringify`, it writes a `bigint`, and
 * refuses NaN and the infinities, where that would write `null` in silence.
 *
 * @param indent spaces at each level; 0 for one line.
 * @throws TypeError where the value has no JSON form.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, writeNumber, indent) as string | undefined;
  if (text === undefined) throw new TypeError(`A value of type ${typeof value} has no JSON form`);
  return text;
}

function writeNumber(key: string, value: unknown): unknown {
  if (typeof value === "bigint") return withSource.rawJSON(value.toString());
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`${key === "" ? "The value" : JSON.stringify(key)} is ${value}, which JSON cannot hold`);
  }
  return value;
}
