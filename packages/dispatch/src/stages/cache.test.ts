import {
  type CachedResult,
  type CachePolicy,
  type CacheVerdict,
  canonicalJson,
  type JsonObject,
  type Outcome,
  type ReadyCall,
  type ResultCache,
  type Tool,
  ToolgateError,
} from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { cache } from "./cache.ts";

const tool = aTool({ name: "search", annotations: { readOnly: true } });
const answer = (value: JsonObject): Outcome => ({ kind: "success", data: { value } });

/** Keeps everything for ever; `broken` makes it fail. */
function kept(): ResultCache & { readonly entries: Map<string, CachedResult>; broken: boolean } {
  const entries = new Map<string, CachedResult>();
  const store = {
    entries,
    broken: false,
    get: async (key: string) => {
      if (store.broken) throw new Error("away");
      return entries.get(key);
    },
    set: async (key: string, result: CachedResult) => {
      if (store.broken) throw new Error("away");
      entries.set(key, result);
    },
  };
  return store;
}

function open(policy: (tool: Tool) => CachePolicy | undefined = () => ({ ttlMs: 1_000, shared: true })) {
  const clock = createFakeClock();
  const results = kept();
  const verdicts: CacheVerdict[] = [];
  const stage = cache({
    results,
    clock,
    policy,
    digest: (text) => text,
    observer: (_tool, verdict) => verdicts.push(verdict),
  });
  const seen: ReadyCall[] = [];
  const run = async (parts: ReadyParts = {}, work?: (call: ReadyCall) => Promise<Outcome>) => {
    const call = aReadyCall({ tool, args: { q: "a" }, ...parts });
    const outcome = await stage.run(call, async (inner) => {
      seen.push(inner);
      inner.trail.attempts += 1;
      inner.trail.backendMs += 7;
      return work === undefined ? answer({ times: seen.length }) : work(inner);
    });
    return { outcome, trail: call.trail };
  };
  return { clock, results, verdicts, seen, run };
}

stageSuite("cache", {
  stage: cache({
    results: kept(),
    clock: createFakeClock(),
    policy: () => undefined,
    digest: (text) => text,
    observer: () => {},
  }),
  call: (signal) => aReadyCall({ signal }),
  answer: answer({}),
});

describe("cache", () => {
  it("gives an equal call what the first one was answered, and says how old it is", async () => {
    const { run, seen, clock, verdicts } = open();
    const first = await run();
    expect(first.trail).toMatchObject({ cached: false, attempts: 1, backendMs: 7 });
    clock.advance(250);
    const { outcome, trail } = await run();
    expect(seen).toHaveLength(1);
    expect(outcome.data.value).toEqual({ times: 1 });
    expect(outcome.data.text).toBe('{"times":1}');
    expect(trail).toMatchObject({ cached: true, cacheAgeMs: 250, attempts: 0, backendMs: 0 });
    expect(verdicts).toEqual(["miss", "hit"]);
  });

  it("gives each caller a value of its own", async () => {
    const { run } = open();
    await run();
    const spoiled = (await run()).outcome.data.value as JsonObject;
    spoiled.times = "changed";
    expect((await run()).outcome.data.value).toEqual({ times: 1 });
  });

  it("takes arguments as equal whatever the order of their keys, and nothing else", async () => {
    const { run, seen } = open();
    await run({ args: { a: 1, b: [1, 2] } });
    await run({ args: { b: [1, 2], a: 1 } });
    expect(seen).toHaveLength(1);
    const others: ReadyParts[] = [
      { args: { a: 1, b: [2, 1] } },
      { args: { a: "1", b: [1, 2] } },
      { args: { a: 1, b: [1, 2] }, raw: true },
      { args: { a: 1, b: [1, 2] }, fields: ["x"] },
      { args: { a: 1, b: [1, 2] }, tool: { ...tool, revision: "2" } },
      { args: { a: 1, b: [1, 2] }, tool: { ...tool, name: "other" } },
    ];
    for (const [i, parts] of others.entries()) {
      await run(parts);
      expect(seen, canonicalJson(i)).toHaveLength(i + 2);
    }
  });

  it("keeps callers apart where answers are their own (cache-01, agno-agi/agno#9380)", async () => {
    const { run, seen } = open(() => ({ ttlMs: 1_000, shared: false }));
    const [ann, bob] = ["ann", "bob"].map((id) => ({ caller: { id, admin: false } }));
    await run(ann);
    await run(bob);
    expect(seen).toHaveLength(2);
    expect((await run(ann)).trail.cached).toBe(true);
  });

  it("does not keep errors", async () => {
    const { run, seen, results } = open();
    const fail = async () => {
      throw new ToolgateError("TOOL_ERROR", "no");
    };
    await expect(run({}, fail)).rejects.toThrow("no");
    expect(results.entries.size).toBe(0);
    await run();
    expect(seen).toHaveLength(2);
  });

  it("says how often the backend was tried also for a call that failed", async () => {
    const { clock } = open();
    const call = aReadyCall({ tool });
    const stage = cache({
      results: kept(),
      clock,
      policy: () => ({ ttlMs: 1_000, shared: true }),
      digest: (text) => text,
      observer: () => {},
    });
    const ended = stage.run(call, async (inner) => {
      inner.trail.attempts = 3;
      throw new ToolgateError("TOOL_ERROR", "no");
    });
    await expect(ended).rejects.toThrow("no");
    expect(call.trail.attempts).toBe(3);
  });

  it("lets equal calls under way share one (cache-03, alookai/alook#157)", async () => {
    const { run, seen, verdicts } = open();
    let finish: (outcome: Outcome) => void = () => {};
    const slow = () =>
      new Promise<Outcome>((resolve) => {
        finish = resolve;
      });
    const calls = Array.from({ length: 50 }, () => run({}, slow));
    await Promise.resolve();
    await Promise.resolve();
    expect(seen).toHaveLength(1);
    seen[0]?.trail.warnings.push("partial");
    finish(answer({ n: 1 }));
    const ended = await Promise.all(calls);
    for (const { outcome, trail } of ended) {
      expect(outcome.data.value).toEqual({ n: 1 });
      expect(trail.warnings).toEqual(["partial"]);
    }
    expect(ended.map(({ trail }) => trail.attempts).reduce((sum, n) => sum + n)).toBe(1);
    expect(verdicts.filter((verdict) => verdict === "shared")).toHaveLength(49);
  });

  it("keeps warnings with the result", async () => {
    const { run } = open();
    await run({}, async (call) => {
      call.trail.warnings.push("a field is missing");
      call.trail.truncated = true;
      return answer({});
    });
    expect((await run()).trail).toMatchObject({ warnings: ["a field is missing"], truncated: true, cached: true });
  });

  it("neither reads nor writes for a call that says bypass, and writes for one that says refresh", async () => {
    const { run, seen, results, verdicts } = open();
    await run({ cache: "bypass" });
    expect(results.entries.size).toBe(0);
    await run();
    await run({ cache: "refresh" });
    expect(seen).toHaveLength(3);
    expect((await run()).outcome.data.value).toEqual({ times: 3 });
    expect(verdicts).toEqual(["bypass", "miss", "refresh", "hit"]);
  });

  it("goes on without a store that is away, and says so", async () => {
    const { run, results, verdicts } = open();
    results.broken = true;
    expect((await run()).outcome.data.value).toEqual({ times: 1 });
    await Promise.resolve();
    expect(verdicts).toEqual(["failed", "miss", "failed"]);
  });

  it("leaves calls alone whose results may not be kept", async () => {
    const { run, seen, verdicts } = open(() => undefined);
    await run();
    await run();
    expect(seen).toHaveLength(2);
    expect(verdicts).toEqual([]);
  });
});
