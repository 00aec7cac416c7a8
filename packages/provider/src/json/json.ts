/**
 * JSON as Toolgate carries it: an integer that a double cannot hold exactly is
 * a `bigint`, and is written with all its digits again.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** ECMAScript 2026, which TypeScript's library does not describe yet. */
export const sourceJson = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** No text without such a run of digits holds an integer beyond 2^53. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** @throws SyntaxError where the text is not JSON. */
export function parseJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
  return sourceJson.parse(text, (_key, value, { source }) => {
    const inexact = typeof value === "number" && !Number.isSafeInteger(value);
    return inexact && source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
  }) as JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One step down a JSON Pointer (RFC 6901 section 4). */
export function pointerStep(key: string | number | symbol): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
