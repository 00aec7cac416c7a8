import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { resultCacheSuite } from "@toolgate/testkit/result-cache-suite";
import { describe, expect, it } from "vitest";
import { createMemoryResultCache } from "./result-cache.ts";

const clock = createFakeClock();

resultCacheSuite("memory", {
  open: (maxBytes) => createMemoryResultCache({ maxBytes, clock }),
  pass: async (ms) => clock.advance(ms),
});

describe("the memory result cache", () => {
  it("says how much it holds", async () => {
    const cache = createMemoryResultCache({ maxBytes: 100_000, clock });
    expect(cache).toMatchObject({ bytes: 0, entries: 0 });
    await cache.set("k", { text: "12345", warnings: ["67"], truncated: false, storedAt: 0 }, 1_000);
    expect(cache).toMatchObject({ bytes: 216, entries: 1 });
  });
});
