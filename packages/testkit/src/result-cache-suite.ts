import type { CachedResult, ResultCache } from "@toolgate/core";
import { beforeEach, describe, expect, it } from "vitest";

export interface ResultCacheHarness {
  /** A cache with nothing in it that keeps at most this many bytes. */
  readonly open: (maxBytes: number) => ResultCache | Promise<ResultCache>;
  /** Lets so much time pass for the cache. */
  readonly pass: (ms: number) => Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

function aResult(parts: Partial<CachedResult> = {}): CachedResult {
  return { text: '{"n":1}', warnings: [], truncated: false, storedAt: 1_700_000_000_000, ...parts };
}

/** What every result cache must do. */
export function resultCacheSuite(name: string, { open, pass }: ResultCacheHarness): void {
  describe(`${name}: the suite of every result cache`, () => {
    let cache: ResultCache;
    beforeEach(async () => {
      cache = await open(MEBIBYTE);
    });

    it("knows nothing at first", async () => {
      expect(await cache.get("k")).toBeUndefined();
    });

    it("gives back what was kept, digit for digit", async () => {
      const result = aResult({ text: '{"n":9007199254740993,"t":"ü🎈\\ud800"}', warnings: ["w"], truncated: true });
      await cache.set("k", result, 1_000);
      expect(await cache.get("k")).toEqual(result);
      expect(await cache.get("K")).toBeUndefined();
    });

    it("forgets a result when its time is over, and not before", async () => {
      await cache.set("short", aResult(), 50);
      await cache.set("long", aResult(), 60_000);
      await pass(20);
      expect(await cache.get("short")).toBeDefined();
      await pass(40);
      expect(await cache.get("short")).toBeUndefined();
      expect(await cache.get("long")).toBeDefined();
    });

    it("takes the newest result and its time", async () => {
      await cache.set("k", aResult({ text: "1" }), 50);
      await cache.set("k", aResult({ text: "2" }), 60_000);
      await pass(60);
      expect(await cache.get("k")).toMatchObject({ text: "2" });
    });

    it("stays within its bytes, and keeps what was asked for last", async () => {
      const text = "x".repeat(20_000);
      for (let i = 0; i < 100; i += 1) {
        await cache.set(`k${i}`, aResult({ text }), 60_000);
        await cache.get("k0");
      }
      const found = await Promise.all(Array.from({ length: 100 }, (_, i) => cache.get(`k${i}`)));
      const bytes = found.reduce((sum, result) => sum + (result?.text.length ?? 0), 0);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(MEBIBYTE);
      expect(found[0]).toBeDefined();
      expect(found[99]).toBeDefined();
      expect(found[1]).toBeUndefined();
    });

    it("does not keep what would push out everything else", async () => {
      await cache.set("small", aResult(), 60_000);
      await cache.set("large", aResult({ text: "x".repeat(2 * MEBIBYTE) }), 60_000);
      expect(await cache.get("large")).toBeUndefined();
      expect(await cache.get("small")).toBeDefined();
    });
  });
}
