import type { DelegatedCall, DelegatedCalls } from "@toolgate/core";
import { describe, expect, it } from "vitest";

export function aDelegatedCall(parts: Partial<DelegatedCall> = {}): DelegatedCall {
  return { caller: "ann", callId: "c1", sessionId: "s1", tool: "memory", toolset: "agent", ...parts };
}

/** What every DelegatedCalls does. `open` makes one that remembers at least ten. */
export function delegatedCallsSuite(name: string, open: () => Promise<DelegatedCalls>): void {
  describe(`delegated calls: ${name}`, () => {
    it("gives a call back once", async () => {
      const calls = await open();
      await calls.add(aDelegatedCall());
      expect(await calls.take("ann", "c1")).toEqual(aDelegatedCall());
      expect(await calls.take("ann", "c1")).toBeUndefined();
    });

    it("gives it to one of several who ask at once", async () => {
      const calls = await open();
      await calls.add(aDelegatedCall());
      const taken = await Promise.all(Array.from({ length: 5 }, () => calls.take("ann", "c1")));
      expect(taken.filter((call) => call !== undefined)).toEqual([aDelegatedCall()]);
    });

    it("gives it to nobody but its caller", async () => {
      const calls = await open();
      await calls.add(aDelegatedCall());
      await calls.add(aDelegatedCall({ caller: "", callId: "ann\0c1" }));
      for (const other of ["bob", "", "ann\0"]) expect(await calls.take(other, "c1")).toBeUndefined();
      expect(await calls.take("ann", "c1")).toBeDefined();
    });

    it("keeps calls of one id by different callers apart, and the newest of one caller", async () => {
      const calls = await open();
      await calls.add(aDelegatedCall({ tool: "old" }));
      await calls.add(aDelegatedCall({ caller: "bob", tool: "other" }));
      await calls.add(aDelegatedCall({ tool: "new" }));
      expect((await calls.take("bob", "c1"))?.tool).toBe("other");
      expect((await calls.take("ann", "c1"))?.tool).toBe("new");
      expect(await calls.take("ann", "c1")).toBeUndefined();
    });
  });
}
