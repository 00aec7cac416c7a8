import type { CachedResult, Clock, ResultCache } from "@toolgate/core";
import { LRUCache } from "lru-cache";

export interface MemoryResultCacheOptions {
  /** Largest sum of what is kept, in bytes; texts count two for each character, as they may take. */
  readonly maxBytes: number;
  readonly clock: Pick<Clock, "monotonic">;
}

export interface MemoryResultCache extends ResultCache {
  readonly bytes: number;
  readonly entries: number;
}

/** What an entry takes besides its texts. */
const ENTRY_BYTES = 200;

/** Results in this process. What alone would take more than a tenth of the whole is not kept. */
export function createMemoryResultCache({ maxBytes, clock }: MemoryResultCacheOptions): MemoryResultCache {
  const kept = new LRUCache<string, CachedResult>({
    maxSize: maxBytes,
    maxEntrySize: Math.max(1, Math.floor(maxBytes / 10)),
    sizeCalculation: sizeOf,
    // Asked each time: a clock that tests move must not be read ahead.
    ttlResolution: 0,
    perf: { now: () => clock.monotonic() + 1 },
  });
  return {
    get: async (key) => kept.get(key),
    set: async (key, result, ttlMs) => {
      kept.set(key, result, { ttl: ttlMs });
    },
    get bytes() {
      return kept.calculatedSize;
    },
    get entries() {
      return kept.size;
    },
  };
}

function sizeOf({ text, warnings }: CachedResult, key: string): number {
  const characters = warnings.reduce((sum, warning) => sum + warning.length, text.length + key.length);
  return ENTRY_BYTES + 2 * characters;
}
