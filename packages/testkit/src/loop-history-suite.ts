import type { LoopHistory, PastCall } from "@toolgate/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** What the history of a test may hold. */
export const SUITE_BOUNDS = { calls: 4, sessions: 3, forgetAfterMs: 60_000 } as const;

/** An empty history of {@link SUITE_BOUNDS} for one test. */
export interface OpenHistory {
  readonly history: LoopHistory;
  /** The same history, as another process sees it; unset where a history belongs to one process. */
  readonly peer?: LoopHistory;
  /** Moves the time on. */
  pass(ms: number): Promise<void>;
  /** Resolves when what `end` said has arrived. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** What every LoopHistory does. `open` makes an empty history for each test. */
export function loopHistorySuite(name: string, open: () => Promise<OpenHistory>): void {
  describe(`loop history: ${name}`, () => {
    let opened: OpenHistory;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const begin = (signature: string, session = "one", history = opened.history) =>
      Promise.resolve(history.begin(session, { tool: "t", signature, readOnly: true }));
    const run = async (signature: string, result: string, session = "one") => {
      (await begin(signature, session)).end({ result });
      await opened.settle();
    };
    const seen = async (session = "one", history = opened.history) => {
      const { calls, end } = await begin("look", session, history);
      end("not-run");
      await opened.settle();
      return calls.slice(0, -1).map(({ signature, result }) => `${signature}=${result ?? "?"}`);
    };

    it("answers the calls of a session, oldest first, the present one last", async () => {
      await run("a", "1");
      await run("b", "2");
      const { calls } = await begin("c");
      const facts = { tool: "t", readOnly: true };
      expect(calls).toMatchObject([
        { ...facts, signature: "a", result: "1" },
        { ...facts, signature: "b", result: "2" },
        { ...facts, signature: "c" },
      ] satisfies PastCall[]);
      expect(calls.at(-1)?.result).toBeUndefined();
    });

    it("adds calls that come together one after the other", async () => {
      const begun = await Promise.all(["a", "a", "a"].map((signature) => begin(signature)));
      expect(begun.map(({ calls }) => calls.length).sort()).toEqual([1, 2, 3]);
    });

    it("gives each call its own result, whichever ends first, although they are equal", async () => {
      const [first, second] = [await begin("a"), await begin("a")];
      second.end({ result: "2" });
      await opened.settle();
      expect(await seen()).toEqual(["a=?", "a=2"]);
      first.end({ result: "1" });
      await opened.settle();
      expect(await seen()).toEqual(["a=1", "a=2"]);
    });

    it("forgets a call that has not run, and no other", async () => {
      const calls = [await begin("a"), await begin("a"), await begin("a")];
      calls[1]?.end("not-run");
      calls[0]?.end({ result: "1" });
      calls[2]?.end({ result: "3" });
      await opened.settle();
      expect(await seen()).toEqual(["a=1", "a=3"]);
    });

    it("hands out calls that do not change any more", async () => {
      const first = await begin("a");
      const { calls } = await begin("b");
      first.end({ result: "1" });
      await opened.settle();
      expect(calls.map(({ signature, result }) => [signature, result])).toEqual([
        ["a", undefined],
        ["b", undefined],
      ]);
    });

    it("keeps sessions apart, whatever they are called", async () => {
      const names = ["one", "ONE", "", "__proto__"].slice(0, SUITE_BOUNDS.sessions);
      for (const session of names) await run(`of ${session}`, "1", session);
      for (const session of names) expect(await seen(session)).toEqual([`of ${session}=1`]);
    });

    it("keeps the newest calls of a session", async () => {
      for (const signature of ["a", "b", "c", "d", "e"]) await run(signature, "1");
      const { calls } = await begin("f");
      expect(calls.map(({ signature }) => signature)).toEqual(["c", "d", "e", "f"]);
    });

    it("takes the end of a call that it has forgotten", async () => {
      const first = await begin("a");
      for (const signature of ["b", "c", "d", "e"]) await run(signature, "1");
      first.end({ result: "late" });
      await opened.settle();
      expect(await seen()).toEqual(["c=1", "d=1", "e=1"]);
    });

    it("forgets a session that is quiet for too long, and none that is not", async () => {
      await run("a", "1", "quiet");
      await run("a", "1", "busy");
      await opened.pass(SUITE_BOUNDS.forgetAfterMs - 1);
      expect(await seen("busy")).toEqual(["a=1"]);
      await opened.pass(1);
      expect(await seen("quiet")).toEqual([]);
      expect(await seen("busy")).toEqual(["a=1"]);
    });

    it("forgets the quietest session when there are too many", async () => {
      for (const session of ["1", "2", "3"]) await run("a", "1", session);
      await run("b", "1", "1");
      await run("a", "1", "4");
      expect(await seen("1")).toEqual(["a=1", "b=1"]);
      expect(await seen("4")).toEqual(["a=1"]);
      expect(await seen("2")).toEqual([]);
    });

    it("is one for all processes that share it", async () => {
      if (opened.peer === undefined) return;
      await run("a", "1");
      expect(await seen("one", opened.peer)).toEqual(["a=1"]);
    });
  });
}
