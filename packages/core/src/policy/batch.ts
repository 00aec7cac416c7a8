import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { escapePointer, valueAt } from "../json/pointer.ts";
import type { BatchSpec } from "../tool/tool.ts";

/** What one call gets of the answer to all: its own answer, or why its items failed. */
export type Share = { readonly value: JsonValue } | { readonly failure: string };

/** The items that a call asks for; `undefined` where it cannot go with others. */
export function batchItems({ param, maxItems }: BatchSpec, args: JsonObject): readonly JsonValue[] | undefined {
  const items = args[param];
  if (!Array.isArray(items) || items.length === 0 || items.length > maxItems) return undefined;
  return items;
}

/**
 * Splits the answer to one list of items into the answers that its parts would have got alone:
 * the same answer, with only their own results in it. Results are paired with
 * items by `key` where it is set, by name where they are the members of an
 * object, else by position.
 *
 * @returns a sentence instead where the answer cannot be split
 */
export function splitAnswer(
  spec: BatchSpec,
  answer: JsonValue,
  parts: readonly (readonly JsonValue[])[],
): readonly Share[] | string {
  const results = valueAt(answer, spec.results);
  const place = spec.results === "" ? "The answer" : `The answer at ${spec.results}`;
  if (isJsonObject(results)) return parts.map((items) => share(spec, answer, membersOf(results, items)));
  if (!Array.isArray(results)) return `${place} is not a list of results`;
  const { key } = spec;
  if (key !== undefined) {
    const byKey = Map.groupBy(results, (result) => keyOf(isJsonObject(result) ? result[key] : undefined));
    return parts.map((items) =>
      share(
        spec,
        answer,
        items.flatMap((item) => byKey.get(keyOf(item)) ?? []),
      ),
    );
  }
  const asked = parts.reduce((sum, items) => sum + items.length, 0);
  if (results.length !== asked) return `${place} has ${results.length} results for ${asked} items`;
  let start = 0;
  return parts.map((items) => {
    const own = results.slice(start, start + items.length);
    start += items.length;
    return share(spec, answer, own);
  });
}

function keyOf(value: JsonValue | undefined): string {
  return value === undefined ? "" : canonicalJson(value);
}

function membersOf(results: JsonObject, items: readonly JsonValue[]): JsonObject {
  const names = new Set(items.map((item) => (typeof item === "string" ? item : canonicalJson(item))));
  return Object.fromEntries(Object.entries(results).filter(([name]) => names.has(name)));
}

function share({ results, error }: BatchSpec, answer: JsonValue, own: JsonValue[] | JsonObject): Share {
  if (error !== undefined) {
    for (const result of Array.isArray(own) ? own : Object.values(own)) {
      const fault = isJsonObject(result) && Object.hasOwn(result, error) ? result[error] : null;
      if (fault !== null && fault !== undefined && fault !== false) return { failure: wordsOf(fault) };
    }
  }
  return { value: replaceAt(answer, results, own) };
}

const MAX_WORDS = 500;

function wordsOf(fault: JsonValue): string {
  const words = isJsonObject(fault) && typeof fault.message === "string" ? fault.message : fault;
  return (typeof words === "string" ? words : canonicalJson(words)).slice(0, MAX_WORDS);
}

/** The value with another part at a JSON Pointer that leads somewhere; what is beside it is shared, not copied. */
function replaceAt(value: JsonValue, pointer: string, part: JsonValue): JsonValue {
  if (pointer === "") return part;
  const [, first = "", ...rest] = pointer.split("/");
  const key = first.replaceAll("~1", "/").replaceAll("~0", "~");
  const inner = rest.length === 0 ? "" : `/${rest.join("/")}`;
  const below = valueAt(value, `/${escapePointer(key)}`) as JsonValue;
  const replaced = replaceAt(below, inner, part);
  if (Array.isArray(value)) return value.map((item, place) => (String(place) === key ? replaced : item));
  return { ...(value as JsonObject), [key]: replaced };
}
