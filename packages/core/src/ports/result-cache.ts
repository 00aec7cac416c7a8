/** A result as it is kept: as text, so that nobody can change what another one reads. */
export interface CachedResult {
  /** The result as JSON text. */
  readonly text: string;
  /** What the call that made it was told. */
  readonly warnings: readonly string[];
  readonly truncated: boolean;
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
}

/**
 * Results of earlier calls, each for its time to live. Bounded in bytes: what
 * was not asked for the longest goes first, and what is too large is not kept.
 * Rejects when the store cannot be reached: that is not "no entry".
 */
export interface ResultCache {
  get(key: string): Promise<CachedResult | undefined>;
  /** @param ttlMs more than 0 */
  set(key: string, result: CachedResult, ttlMs: number): Promise<void>;
}

/** How a call met the cache. */
export type CacheVerdict = "hit" | "miss" | "shared" | "bypass" | "refresh" | "failed";

/** Hears how calls of tools whose results may be kept met the cache. Must not throw, must not wait. */
export type CacheObserver = (tool: string, verdict: CacheVerdict) => void;
