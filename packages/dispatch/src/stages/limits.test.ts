import {
  type Caller,
  type LimitDecision,
  type LimitRules,
  type LimitsSpec,
  limitsOf,
  NO_LIMITS,
  type Outcome,
  type ReadyCall,
  type SlotLimit,
} from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it, vi } from "vitest";
import { aSlotStore } from "../../test/slot-store.ts";
import { limits } from "./limits.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };
const ann: Caller = { id: "ann", admin: false };
const bob: Caller = { id: "bob", admin: false };
const cleo: Caller = { id: "cleo", admin: false };

/** The stage, with the calls that got through it and how each ends. */
function aStage(rules: Partial<LimitRules>, { remote = false } = {}) {
  const clock = createFakeClock();
  const store = aSlotStore();
  store.remote = remote;
  const decided: LimitDecision[] = [];
  const waiting = new Map<string, number>();
  const observer = {
    decided: (decision: LimitDecision) => void decided.push(decision),
    waiting: ({ name }: SlotLimit, change: number) => void waiting.set(name, (waiting.get(name) ?? 0) + change),
  };
  const stage = limits({ rules: { ...NO_LIMITS, ...rules }, store, observer }, clock);
  const running: { readonly call: ReadyCall; end(error?: Error): void }[] = [];
  const next = (call: ReadyCall) =>
    new Promise<Outcome>((resolve, reject) => {
      running.push({ call, end: (error) => (error === undefined ? resolve(ANSWER) : reject(error)) });
    });
  const start = (parts: ReadyParts = {}) => {
    const call = aReadyCall(parts);
    const ended = stage.run(call, next).then(
      () => "ok",
      (error: { code?: string }) => error.code ?? error,
    );
    return { call, ended };
  };
  return {
    clock,
    store,
    decided,
    start,
    running,
    /** Ids of the calls that got through, in that order. */
    through: () => running.map(({ call }) => call.callId),
    waiting: (name: string) => waiting.get(name) ?? 0,
  };
}

const oneSlot = (queue: LimitsSpec["queue"] = {}): LimitsSpec => ({ maxConcurrent: 1, queue });

describe("limits, in the suite of stages", () => {
  const clock = createFakeClock();
  const observer = { decided() {}, waiting() {} };
  const rules = { ...NO_LIMITS, global: oneSlot() };
  stageSuite("limits", {
    stage: limits({ rules, store: aSlotStore(), observer }, clock),
    call: (signal) => aReadyCall({ signal }),
    answer: ANSWER,
    pending: () => clock.pending,
  });
});

describe("a call without limits", () => {
  it("is handed on as it is, and the store is not asked", () => {
    const { store, start, running } = aStage({});
    const take = vi.spyOn(store, "take");
    const { call } = start();
    expect(running[0]?.call).toBe(call);
    expect(take).not.toHaveBeenCalled();
  });
});

describe.each([
  ["in this process", false],
  ["on the network", true],
])("slots that are counted %s", (_where, remote) => {
  it("are held while the call runs, and come back when it ends or fails", async () => {
    const { store, start, running, clock } = aStage({ global: { maxConcurrent: 2 } }, { remote });
    const calls = [start(), start()];
    await clock.advanceAsync(0);
    expect(store.used("global.max_concurrent")).toBe(2);
    running[0]?.end();
    running[1]?.end(new Error("failed further in"));
    await Promise.all(calls.map(({ ended }) => ended));
    expect(store.used("global.max_concurrent")).toBe(0);
  });

  it("are waited for, and the time goes to queue_ms and into no attempt", async () => {
    const { start, running, clock, through, waiting } = aStage({ global: oneSlot() }, { remote });
    start({ callId: "1" });
    const second = start({ callId: "2" });
    await clock.advanceAsync(300);
    expect(through()).toEqual(["1"]);
    expect(waiting("global.max_concurrent")).toBe(1);
    running[0]?.end();
    await clock.advanceAsync(0);
    expect(through()).toEqual(["1", "2"]);
    expect(second.call.trail.queueMs).toBe(300);
    expect(waiting("global.max_concurrent")).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("go to callers in turn, however many calls one of them has waiting", async () => {
    const { start, running, clock, through } = aStage({ global: oneSlot() }, { remote });
    start({ callId: "first" });
    for (let i = 1; i <= 3; i++) start({ callId: `ann-${i}`, caller: ann });
    for (let i = 1; i <= 2; i++) start({ callId: `bob-${i}`, caller: bob });
    start({ callId: "cleo-1", caller: cleo });
    for (let ended = 0; ended < 7; ended++) {
      await clock.advanceAsync(0);
      running[ended]?.end();
    }
    expect(through()).toEqual(["first", "ann-1", "bob-1", "cleo-1", "ann-2", "bob-2", "ann-3"]);
  });

  it("are not taken by who comes when others wait for them", async () => {
    const { store, start, clock, through, running } = aStage({ global: oneSlot() }, { remote });
    start({ callId: "1" });
    start({ callId: "2" });
    await clock.advanceAsync(0);
    store.next = { kind: "granted", states: [], exceeded: [] };
    start({ callId: "3" });
    await clock.advanceAsync(0);
    store.next = undefined;
    running[0]?.end();
    await clock.advanceAsync(0);
    expect(through()).toEqual(["1", "2"]);
  });

  it("are given to nobody who went away while waiting", async () => {
    const { store, start, clock, running, through, waiting } = aStage({ global: oneSlot() }, { remote });
    start({ callId: "1" });
    const goes = new AbortController();
    const second = start({ callId: "2", signal: goes.signal });
    start({ callId: "3" });
    await clock.advanceAsync(10);
    goes.abort();
    expect(await second.ended).toBe("CANCELLED");
    expect(second.call.trail.queueMs).toBe(10);
    running[0]?.end();
    await clock.advanceAsync(0);
    expect(through()).toEqual(["1", "3"]);
    expect([store.used("global.max_concurrent"), waiting("global.max_concurrent")]).toEqual([1, 0]);
  });

  it("come back where the caller went away at the very moment of its turn", async () => {
    const { store, start, clock, running, through } = aStage({ global: oneSlot() }, { remote });
    start({ callId: "1" });
    const goes = new AbortController();
    const second = start({ callId: "2", signal: goes.signal });
    await clock.advanceAsync(0);
    const take = store.take.bind(store);
    vi.spyOn(store, "take").mockImplementation((plan) => {
      queueMicrotask(() => goes.abort());
      return take(plan);
    });
    running[0]?.end();
    await clock.advanceAsync(0);
    expect(await second.ended).toBe("CANCELLED");
    expect(through()).toEqual(["1"]);
    expect(store.used("global.max_concurrent")).toBe(0);
  });
});

describe("the queue of a limit", () => {
  it("holds so many calls, and refuses the next as OVERLOADED", async () => {
    const { start, clock, decided } = aStage({ global: oneSlot({ maxLength: 2 }) });
    for (let i = 0; i < 3; i++) start();
    const refused = start();
    expect(await refused.ended).toBe("OVERLOADED");
    expect(decided.at(-1)).toMatchObject({ refusedBy: { name: "global.max_concurrent" } });
    expect(clock.pending).toBe(2);
  });

  it("refuses at once where calls may not wait", async () => {
    const { start, clock } = aStage({ global: oneSlot({ maxLength: 0 }) });
    start();
    const refused = start();
    expect(await refused.ended).toBe("OVERLOADED");
    expect(refused.call.trail.limits).toEqual([
      { name: "global.max_concurrent", limit: 1, remaining: 0, resetMs: 0, windowMs: 0 },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("ends a wait that is too long, to the millisecond", async () => {
    const { start, clock, waiting } = aStage({ global: oneSlot({ maxWaitMs: 250 }) });
    start();
    const late = start();
    await clock.advanceAsync(249);
    expect(waiting("global.max_concurrent")).toBe(1);
    await clock.advanceAsync(1);
    expect(await late.ended).toBe("OVERLOADED");
    expect(late.call.trail.queueMs).toBe(250);
    expect(waiting("global.max_concurrent")).toBe(0);
  });

  it("ends a wait at the caller's own deadline, so that it hears why", async () => {
    const { start, clock } = aStage({ global: oneSlot({ maxWaitMs: 5_000 }) });
    start();
    const late = start({ deadlineAt: 100 });
    await clock.advanceAsync(100);
    expect(await late.ended).toBe("OVERLOADED");
  });

  it("waits 5 s with 100 calls where nothing else is said", async () => {
    const { start, clock, waiting } = aStage({ global: { maxConcurrent: 1 } });
    const calls = Array.from({ length: 102 }, () => start());
    expect(await calls[101]?.ended).toBe("OVERLOADED");
    await clock.advanceAsync(4_999);
    expect(waiting("global.max_concurrent")).toBe(100);
    await clock.advanceAsync(1);
    expect(waiting("global.max_concurrent")).toBe(0);
  });

  it("has room for a newcomer though one caller has filled it: that one's newest call gives way", async () => {
    const { start, clock, running, through } = aStage({ global: oneSlot({ maxLength: 2 }) });
    start({ callId: "first" });
    start({ callId: "ann-1", caller: ann });
    const newest = start({ callId: "ann-2", caller: ann });
    start({ callId: "bob-1", caller: bob });
    expect(await newest.ended).toBe("OVERLOADED");
    for (let ended = 0; ended < 2; ended++) {
      running[ended]?.end();
      await clock.advanceAsync(0);
    }
    expect(through()).toEqual(["first", "ann-1", "bob-1"]);
  });
});

describe("slots of several levels", () => {
  const slow = aTool({ name: "slow" });
  const rules: Partial<LimitRules> = {
    global: { maxConcurrent: 2 },
    perTool: new Map([["slow", { maxConcurrent: 1 }]]),
    perClient: { maxConcurrent: 2 },
  };

  it("are held together or not at all", async () => {
    const { store, start, running, clock } = aStage(rules);
    start({ tool: slow, caller: ann });
    start({ tool: slow, caller: ann });
    expect(store.used("global.max_concurrent")).toBe(1);
    expect(store.used("client.max_concurrent")).toBe(1);
    running[0]?.end();
    await clock.advanceAsync(0);
    running[1]?.end();
    await clock.advanceAsync(0);
    for (const name of ["global.max_concurrent", "tool.slow.max_concurrent", "client.max_concurrent"]) {
      expect(store.used(name)).toBe(0);
    }
  });

  it("do not hold up calls that need other ones", async () => {
    const { start, through } = aStage(rules);
    start({ callId: "1", tool: slow });
    start({ callId: "2", tool: slow });
    start({ callId: "3" });
    expect(through()).toEqual(["1", "3"]);
  });

  it("are waited for one after the other, in all no longer than the queue of each allows", async () => {
    const { start, running, clock, through, waiting } = aStage(rules);
    start({ callId: "1", tool: slow });
    start({ callId: "2" });
    const waits = start({ callId: "3", tool: slow });
    const other = start({ callId: "4" });
    // Global is what 3 and 4 wait for; when one is free, 3 goes on to wait for its tool, and 4 runs.
    running[1]?.end();
    await clock.advanceAsync(0);
    expect(through()).toEqual(["1", "2", "4"]);
    expect([waiting("global.max_concurrent"), waiting("tool.slow.max_concurrent")]).toEqual([0, 1]);
    await clock.advanceAsync(5_000);
    expect(await waits.ended).toBe("OVERLOADED");
    running[2]?.end();
    expect(await other.ended).toBe("ok");
  });
});

describe("a rate that is used up", () => {
  const limit = limitsOf("tool", "echo", { rate: { calls: 10, perMs: 60_000 } })[0];
  if (limit === undefined || limit.measure === "max_concurrent") throw new Error("a rate was asked for");
  const used = { name: limit.name, limit: 10, remaining: 0, resetMs: 60_000, windowMs: 60_000 };
  const overRate = { kind: "over-rate", limit, retryAfterMs: 5_201, states: [used] } as const;

  it("is RATE_LIMITED with the time that the store says, and which limit it was", async () => {
    const { store, decided } = aStage({});
    store.next = overRate;
    const stage = limits(
      {
        rules: { ...NO_LIMITS, global: { maxQps: 1 } },
        store,
        observer: { decided: (d) => decided.push(d), waiting() {} },
      },
      createFakeClock(),
    );
    const call = aReadyCall();
    const next = vi.fn();
    await expect(stage.run(call, next)).rejects.toMatchObject({
      code: "RATE_LIMITED",
      message: 'The limit "tool.echo.rate" (10 calls in 60 s) is used up. Try again in 5.3 s.',
      details: { retryAfterMs: 5_201 },
    });
    expect(next).not.toHaveBeenCalled();
    expect(call.trail.limits).toEqual([used]);
    expect(decided).toMatchObject([{ refusedBy: limit }]);
  });

  it("refuses a call that has waited for its slot, too", async () => {
    const { store, start, running, clock } = aStage({ global: oneSlot() });
    start();
    const second = start();
    running[0]?.end();
    store.next = overRate;
    expect(await second.ended).toBe("RATE_LIMITED");
    expect(clock.pending).toBe(0);
  });
});
