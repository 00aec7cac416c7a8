import { pointerStep, sourceJson } from "./json.ts";

/** A result has no JSON form. The message says where and why, and is public. */
export class UnwritableResult extends Error {
  override readonly name = "UnwritableResult";
}

/** The gateway reads no deeper. */
const MAX_DEPTH = 512;

/**
 * A handler's result as JSON text. `undefined` becomes `null`, a `bigint` keeps
 * its digits, and `toJSON` is honoured (dates). What `JSON.stringify` would
 * lose in silence is refused: NaN, infinities, functions, symbols, maps, sets
 * and promises.
 *
 * @throws UnwritableResult in words; or whatever a `toJSON` or a getter throws.
 */
export function resultText(result: unknown): string {
  if (result === undefined) return "null";
  try {
    return JSON.stringify(result, (_key, value: unknown) => {
      if (typeof value === "bigint") return sourceJson.rawJSON(value.toString());
      const loss = lossOf(value);
      if (loss !== undefined) throw new UnwritableResult(loss);
      return value;
    });
  } catch (error) {
    // Seldom: only now is it worth looking for the place.
    throw findFault(result, "", []) ?? error;
  }
}

/** What is wrong with a value that `JSON.stringify` would drop or change; undefined where nothing is. */
function lossOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON cannot hold; return null or text instead`;
    case "function":
      return "is a function, which JSON cannot hold";
    case "symbol":
      return "is a symbol, which JSON cannot hold";
    case "object":
      return value === null ? undefined : lossOfObject(value);
    default:
      return undefined;
  }
}

function lossOfObject(value: object): string | undefined {
  if (value instanceof Map) return "is a Map, which JSON cannot hold; return Object.fromEntries(map)";
  if (value instanceof Set) return "is a Set, which JSON cannot hold; return [...set]";
  if (value instanceof Promise) return "is a promise; await it first";
  return undefined;
}

/** Walks as `JSON.stringify` does, and gives the first value it cannot write. */
function findFault(given: unknown, path: string, above: readonly unknown[]): UnwritableResult | undefined {
  const fault = (why: string) => new UnwritableResult(`The result${path === "" ? "" : ` at ${path}`} ${why}.`);
  const value = afterToJson(given, path);
  const loss = lossOf(value);
  if (loss !== undefined) return fault(loss);
  if (typeof value !== "object" || value === null) return undefined;
  if (above.includes(value)) return fault("contains itself, so its JSON would never end");
  if (above.length === MAX_DEPTH) {
    return new UnwritableResult(`The result is nested more than ${MAX_DEPTH} levels deep.`);
  }
  for (const [key, item] of Object.entries(value)) {
    const found = findFault(item, path + pointerStep(key), [...above, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function afterToJson(value: unknown, path: string): unknown {
  const toJson = (value as { toJSON?: unknown } | null | undefined)?.toJSON;
  return typeof toJson === "function" ? toJson.call(value, path.slice(path.lastIndexOf("/") + 1)) : value;
}
