import { ToolgateClientError } from "./client-error.ts";

/** How many calls run at once where nothing is said. */
export const DEFAULT_CONCURRENCY = 8;
const MAX_CONCURRENCY = 1_000;

/** @throws ToolgateClientError INVALID_ARGUMENT unless it is a whole number from 1 to 1,000. */
export function checkConcurrency(concurrency: number): number {
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MAX_CONCURRENCY) return concurrency;
  const message = `The concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}, not ${concurrency}.`;
  throw new ToolgateClientError("INVALID_ARGUMENT", message, { mayHaveRun: false });
}

/** The results in the order of the items, with at most `concurrency` runs at once. `run` does not reject. */
export async function mapInParallel<T, R>(
  items: readonly T[],
  concurrency: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const rest = items.entries();
  const worker = async () => {
    for (const [place, item] of rest) results[place] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
}
