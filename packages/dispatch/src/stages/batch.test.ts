import { type BatchSpec, type JsonValue, type ReadyCall, type Reply, ToolgateError } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { batch } from "./batch.ts";

const spec: BatchSpec = { param: "ids", maxItems: 4, windowMs: 5, results: "", key: "id", error: "error" };
const reads = { annotations: { readOnly: true } };
const tool = aTool({ name: "users", batch: spec, ...reads });
const value = (of: JsonValue): Reply => ({ kind: "value", value: of });
const named = async ({ args }: ReadyCall) => value((args.ids as number[]).map((id) => ({ id, name: `n${id}` })));

function open(work: (call: ReadyCall) => Promise<Reply> = named, isPrivate = false) {
  const clock = createFakeClock();
  const batches: number[] = [];
  const seen: ReadyCall[] = [];
  const stage = batch({ clock, isPrivate: () => isPrivate, observer: (_tool, calls) => batches.push(calls) });
  const ask = (ids: JsonValue, parts: ReadyParts = {}) => {
    const gone = new AbortController();
    const call = aReadyCall({ tool, signal: gone.signal, ...parts, args: { ids, ...parts.args } });
    const answer = stage.run(call, (inner) => {
      seen.push(inner);
      inner.trail.attempts += 1;
      return work(inner);
    });
    answer.catch(() => {});
    return { call, answer, go: () => gone.abort(new DOMException("gone", "AbortError")) };
  };
  return { clock, batches, seen, ask, lists: () => seen.map(({ args }) => args.ids) };
}

/** Answers, or fails, when the test says so. */
function held() {
  const pending: { call: ReadyCall; answer: (reply: Reply) => void }[] = [];
  const work = (call: ReadyCall) =>
    new Promise<Reply>((answer, fail) => {
      pending.push({ call, answer });
      call.signal.addEventListener("abort", () => fail(new ToolgateError("CANCELLED", "ended inside")));
    });
  return { pending, work };
}

const suiteClock = createFakeClock();
stageSuite("batch", {
  stage: batch({ clock: suiteClock, isPrivate: () => false, observer: () => {} }),
  call: (signal) => aReadyCall({ signal }),
  answer: value([]),
});

describe("calls within the window", () => {
  it("go as one, and each gets its own part", async () => {
    const { ask, clock, lists, batches } = open();
    const calls = [ask([1]), ask([2, 3])];
    await clock.advanceAsync(4);
    expect(lists()).toEqual([]);
    await clock.advanceAsync(1);
    expect(lists()).toEqual([[1, 2, 3]]);
    expect(await calls[0]?.answer).toEqual(value([{ id: 1, name: "n1" }]));
    expect(await calls[1]?.answer).toEqual(
      value([
        { id: 2, name: "n2" },
        { id: 3, name: "n3" },
      ]),
    );
    expect(batches).toEqual([2]);
    expect(calls.map(({ call: { trail } }) => [trail.attempts, trail.queueMs])).toEqual([
      [1, 5],
      [1, 5],
    ]);
    expect(clock.pending).toBe(0);
  });

  it("go at once when they are full, and leave the next to a batch of its own", async () => {
    const { ask, lists, clock } = open();
    ask([1, 2]);
    ask([3, 4]);
    expect(lists()).toEqual([[1, 2, 3, 4]]);
    ask([5, 6, 7]);
    ask([8, 9]);
    expect(lists()).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7],
    ]);
    await clock.advanceAsync(5);
    expect(lists()).toHaveLength(3);
  });

  it("go apart where anything but the list differs, or the caller where it reaches the backend", async () => {
    const shared = open();
    shared.ask([1], { args: { lang: "en" } });
    shared.ask([2], { args: { lang: "de" } });
    shared.ask([3], { args: { lang: "en" }, caller: { id: "bob", admin: false } });
    await shared.clock.advanceAsync(5);
    expect(shared.lists()).toEqual([[1, 3], [2]]);
    const own = open(named, true);
    own.ask([1]);
    own.ask([2], { caller: { id: "bob", admin: false } });
    await own.clock.advanceAsync(5);
    expect(own.lists()).toEqual([[1], [2]]);
  });

  it.each([
    ["is no list", "a", {}],
    ["is longer than a batch may be", [1, 2, 3, 4, 5], {}],
    ["has an idempotency key", [1], { idempotencyKey: "k" }],
    ["has no time to wait", [1], { deadlineAt: 10 }],
    ["is of a tool that says nothing of it", [1], { tool: aTool(reads) }],
  ] as const)("leave out one that %s", async (_what, ids, parts) => {
    const { ask, seen, clock } = open(async () => value("alone"));
    const { call, answer } = ask(ids as JsonValue, parts);
    expect(seen).toEqual([call]);
    expect(await answer).toEqual(value("alone"));
    expect(clock.pending).toBe(0);
  });

  it("have the time of the last of them", async () => {
    const { ask, seen, clock } = open();
    ask([1], { deadlineAt: 100 });
    ask([2], { deadlineAt: 300 });
    await clock.advanceAsync(5);
    expect(seen[0]?.deadlineAt).toBe(300);
    ask([1], { deadlineAt: 100 });
    ask([2]);
    await clock.advanceAsync(5);
    expect(seen[1]).not.toHaveProperty("deadlineAt");
  });
});

describe("a call that went alone", () => {
  it("keeps its arguments' text, and its answer as it came", async () => {
    const reply: Reply = { kind: "text", text: "<no json>", mediaType: "text/html" };
    const { ask, seen, clock } = open(async () => reply);
    const { answer } = ask([1], { argsText: '{"ids":[1]}' });
    await clock.advanceAsync(5);
    expect(seen[0]?.argsText).toBe('{"ids":[1]}');
    expect(await answer).toBe(reply);
  });

  it("fails where the tool says that its item did", async () => {
    const { ask, clock } = open(async () => value([{ id: 1, error: "no such user" }]));
    const { answer } = ask([1]);
    await clock.advanceAsync(5);
    await expect(answer).rejects.toMatchObject({
      code: "TOOL_ERROR",
      message: '"users" failed for this call: no such user',
    });
  });
});

describe("a failure", () => {
  it("of one item is that of its call alone", async () => {
    const text = JSON.stringify([
      { id: 1, name: "n1" },
      { id: 2, error: { message: "no such user" } },
    ]);
    const { ask, clock } = open(async () => ({ kind: "text", text, mediaType: "application/json" }));
    const [good, bad] = [ask([1]), ask([2])];
    await clock.advanceAsync(5);
    expect(await good.answer).toEqual(value([{ id: 1, name: "n1" }]));
    await expect(bad.answer).rejects.toMatchObject({ code: "TOOL_ERROR" });
  });

  const refusing = async (call: ReadyCall) => {
    if ((call.args.ids as number[]).includes(13)) throw new ToolgateError("TOOL_ERROR", "400: 13 is no id");
    return named(call);
  };

  it("of the whole list sends each alone, where a second run is harmless", async () => {
    const { ask, clock, lists } = open(refusing);
    const calls = [ask([1]), ask([13]), ask([2])];
    await clock.advanceAsync(5);
    expect(lists()).toEqual([[1, 13, 2], [1], [13], [2]]);
    expect(await calls[0]?.answer).toEqual(value([{ id: 1, name: "n1" }]));
    await expect(calls[1]?.answer).rejects.toMatchObject({ code: "TOOL_ERROR", message: "400: 13 is no id" });
    expect(await calls[2]?.answer).toEqual(value([{ id: 2, name: "n2" }]));
  });

  it("of the whole list is everyone's, and is not tried again, where a second run may do harm", async () => {
    const { ask, clock, lists } = open(refusing);
    const writes = { tool: aTool({ name: "add", batch: spec, annotations: {} }) };
    const calls = [ask([1], writes), ask([13], writes)];
    await clock.advanceAsync(5);
    for (const { answer, call } of calls) {
      await expect(answer).rejects.toMatchObject({ code: "TOOL_ERROR" });
      expect(call.trail.attempts).toBe(1);
    }
    expect(lists()).toEqual([[1, 13]]);
  });

  it.each([
    [value([{ id: 1 }, 2, 3]), "cannot be split: The answer has 3 results for 2 items"],
    [{ kind: "text", text: "<html>", mediaType: "text/html" } as Reply, "is not JSON and cannot be split"],
  ])("to split the answer is told to all", async (reply, words) => {
    const { ask, clock } = open(async () => reply);
    const { key: _, ...byPosition } = spec;
    const parts = { tool: aTool({ batch: byPosition, ...reads }) };
    const calls = [ask([1], parts), ask([2], parts)];
    await clock.advanceAsync(5);
    for (const { answer } of calls) {
      await expect(answer).rejects.toMatchObject({ code: "RESULT_INVALID", message: expect.stringContaining(words) });
    }
  });
});

describe("a caller that goes away", () => {
  it("before the others are sent is not sent with them", async () => {
    const { ask, clock, lists } = open();
    const [first, second] = [ask([1]), ask([2])];
    first.go();
    await expect(first.answer).rejects.toMatchObject({
      code: "CANCELLED",
      message: expect.stringContaining("not reached"),
    });
    await clock.advanceAsync(5);
    expect(lists()).toEqual([[2]]);
    expect(await second.answer).toEqual(value([{ id: 2, name: "n2" }]));
  });

  it("as the last one before the window ends sends nothing", async () => {
    const { ask, clock, lists } = open();
    const { answer, go } = ask([1]);
    go();
    await expect(answer).rejects.toMatchObject({ code: "CANCELLED", message: expect.stringContaining("not reached") });
    expect(clock.pending).toBe(0);
    ask([2]);
    await clock.advanceAsync(5);
    expect(lists()).toEqual([[2]]);
  });

  it("after that ends nothing for the others, and the work when it was the last", async () => {
    const { pending, work } = held();
    const { ask, clock } = open(work);
    const [first, second] = [ask([1]), ask([2])];
    await clock.advanceAsync(5);
    first.go();
    await expect(first.answer).rejects.toMatchObject({
      code: "CANCELLED",
      message: expect.stringContaining("delivered"),
    });
    expect(pending[0]?.call.signal.aborted).toBe(false);
    second.go();
    expect(pending[0]?.call.signal.aborted).toBe(true);
    await expect(second.answer).rejects.toMatchObject({ message: "ended inside" });
  });

  it("is told at its own deadline, while the others wait on", async () => {
    const { pending, work } = held();
    const { ask, clock } = open(work);
    const [first, second] = [ask([1], { deadlineAt: 50 }), ask([2])];
    await clock.advanceAsync(50);
    await expect(first.answer).rejects.toMatchObject({ code: "BACKEND_TIMEOUT" });
    pending[0]?.answer(value([{ id: 2 }]));
    expect(await second.answer).toEqual(value([{ id: 2 }]));
    expect(clock.pending).toBe(0);
  });
});
