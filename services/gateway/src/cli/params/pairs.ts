// Not all of the core: a call without a mistake need not wait for it.
import { quotedExcerpt } from "@toolgate/core/words";
import { UsageError } from "../exit-codes.ts";

/** Every text that was given for a name, in order, by name. */
export type Pairs = ReadonlyMap<string, readonly string[]>;

/**
 * Reads `NAME=VALUE`, cut at the first `=`, so that a value may hold more.
 *
 * @throws UsageError where there is no name or no `=`.
 */
export function readPairs(texts: readonly string[]): Pairs {
  const pairs = new Map<string, string[]>();
  for (const text of texts) {
    const cut = text.indexOf("=");
    if (cut < 1) throw new UsageError(`--param needs NAME=VALUE, such as --param city=Beijing, not ${quote(text)}.`);
    const name = text.slice(0, cut);
    pairs.set(name, [...(pairs.get(name) ?? []), text.slice(cut + 1)]);
  }
  return pairs;
}

export function quote(text: string): string {
  return quotedExcerpt(text, 60);
}
