import type { JsonObject, JsonValue } from "../json.ts";
import { isObject, listOf, own, resolveRef } from "../schema/schema.ts";

/** Names for the parts of a schema that `$ref` points to, one for each part. */
export class Aliases {
  readonly #prefix: string;
  readonly #taken: Set<string>;
  readonly #byRef = new Map<string, string>();

  /** @param taken names that the file has already; new ones are added. */
  constructor(prefix: string, taken: Set<string>) {
    this.#prefix = prefix;
    this.#taken = taken;
  }

  nameOf(ref: string): string {
    const known = this.#byRef.get(ref);
    if (known !== undefined) return known;
    const base = `${this.#prefix}${pascalCase(ref.split("/").at(-1) ?? "")}`;
    let name = base;
    for (let count = 2; this.#taken.has(name); count++) name = `${base}${count}`;
    this.#taken.add(name);
    this.#byRef.set(ref, name);
    return name;
  }

  /** References in the order in which they were named; grows while they are written out. */
  entries(): Iterable<[ref: string, name: string]> {
    return this.#byRef;
  }
}

/** "weather_query" becomes "WeatherQuery". */
export function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[0-9]/.test(joined) ? `_${joined}` : joined;
}

/**
 * Whether a schema means `ref` itself, with no object or array in between. A
 * type alias that did so would be circular, which is no type.
 */
export function meansItself(schema: JsonValue, ref: string, root: JsonValue): boolean {
  const seen = new Set<string>();
  const waiting: JsonValue[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isObject(next)) continue;
    const target = own(next, "$ref");
    if (target === ref) return true;
    if (typeof target === "string" && !seen.has(target)) {
      seen.add(target);
      waiting.push(resolveRef(root, target) ?? true);
    }
    waiting.push(...combined(next));
  }
  return false;
}

function combined(schema: JsonObject): readonly JsonValue[] {
  return ["allOf", "anyOf", "oneOf"].flatMap((keyword) => listOf(own(schema, keyword)));
}
