import { type JsonValue, stringifyJson } from "@toolgate/core";

/** The text of a value where only text can go: scalars as they are written, the rest as JSON. */
export function textOf(value: Exclude<JsonValue, null>): string {
  if (typeof value === "string") return value;
  return typeof value === "object" ? stringifyJson(value) : String(value);
}

/** Percent-encodes all but unreserved characters and `!'()*`; never throws, also for half a surrogate pair. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** One value of a path segment: lists are joined by commas (as in RFC 6570, `{name}`). */
export function encodeSegment(value: Exclude<JsonValue, null>): string {
  if (!Array.isArray(value)) return encodeText(textOf(value));
  return value.map((item) => (item === null ? "" : encodeText(textOf(item)))).join(",");
}

/**
 * Adds `key=value` pairs: a list repeats the key, null is left out.
 *
 * @param encodedKey already percent-encoded.
 */
export function appendPairs(query: string, encodedKey: string, value: JsonValue): string {
  if (value === null) return query;
  if (Array.isArray(value)) return value.reduce<string>((all, item) => appendPair(all, encodedKey, item), query);
  return appendPair(query, encodedKey, value);
}

function appendPair(query: string, encodedKey: string, value: JsonValue): string {
  if (value === null) return query;
  const pair = `${encodedKey}=${encodeText(textOf(value))}`;
  return query === "" ? pair : `${query}&${pair}`;
}
