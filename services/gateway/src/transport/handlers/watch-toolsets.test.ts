import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { WatchToolsetsRequestSchema, type WatchToolsetsResponse } from "@toolgate/contract";
import { SnapshotFeed } from "@toolgate/registrar";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { anOffer, aRegister } from "@toolgate/testkit/builders";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { describe, expect, it } from "vitest";
import { aContext } from "../../../test/worlds.ts";
import type { RequestContext } from "./context.ts";
import { watchToolsetsHandler } from "./watch-toolsets.ts";

type Request = Parameters<typeof create<typeof WatchToolsetsRequestSchema>>[1];

/** A registry, and watches on it that a test reads message by message. */
function open() {
  const store = createMemoryRegistryStore({ epoch: "one" });
  const clock = createFakeClock();
  const draining = new AbortController();
  const feed = new SnapshotFeed(store);
  const handler = watchToolsetsHandler({ feed, clock, draining: draining.signal });
  const watch = (request: Request = {}, context: Partial<RequestContext> = {}) => {
    const stream = handler(create(WatchToolsetsRequestSchema, request), aContext(context));
    const next = async () => (await stream.next()).value as WatchToolsetsResponse;
    const read = async (count: number) => {
      const words: string[] = [];
      for (let n = 0; n < count; n++) words.push(wordsOf(await next()));
      return words;
    };
    return { stream, next, read };
  };
  const register = (name: string, ...tools: string[]) =>
    store.apply(aRegister({ lease: name, toolsets: [anOffer({ name, tools })] }));
  const leave = (name: string) => store.apply({ type: "deregister", leaseId: name, registrantId: "alice", tools: [] });
  return { store, clock, draining, feed, watch, register, leave };
}

/** "changed demo +new -gone @7": what happened, and after which generation. */
function wordsOf({ event, generation, epoch }: WatchToolsetsResponse): string {
  expect(epoch).toBe("one");
  const words = [event.case ?? "nothing"];
  if (event.case === "added")
    words.push(event.value.toolset?.name ?? "", ...event.value.tools.map(({ name }) => `+${name}`));
  if (event.case === "removed") words.push(event.value.toolset);
  if (event.case === "changed" || event.case === "healthChanged") {
    words.push(event.value.toolset?.name ?? "", ...event.value.changedTools.map(({ name }) => `+${name}`));
  }
  if (event.case === "changed") words.push(...event.value.removedTools.map((name) => `-${name}`));
  return [...words, `@${generation}`].join(" ");
}

describe("WatchToolsets", () => {
  it("sends the whole snapshot by name, then the mark, then every change in order", async () => {
    const { watch, register, leave, store } = open();
    await register("b", "t2", "t1");
    await register("a", "t3");
    const { read } = watch();
    expect(await read(3)).toEqual(["added a +t3 @2", "added b +t1 +t2 @2", "synced @2"]);
    await register("b", "t4");
    expect(await read(1)).toEqual(["changed b +t4 @3"]);
    await store.apply({ type: "setToolEnabled", tool: "t1", enabled: false });
    expect(await read(1)).toEqual(["healthChanged b +t1 @4"]);
    await leave("a");
    expect(await read(1)).toEqual(["removed a @5"]);
    await register("c", "t5");
    expect(await read(1)).toEqual(["added c +t5 @6"]);
  });

  it("sends an empty registry as the mark alone", async () => {
    const { watch, register } = open();
    const { read } = watch();
    expect(await read(1)).toEqual(["synced @0"]);
    await register("a", "t1");
    expect(await read(1)).toEqual(["added a +t1 @1"]);
  });

  it("tells a slow reader the newest state of each toolset, not all that happened", async () => {
    const { watch, register, leave } = open();
    await register("a", "t1");
    const { read } = watch();
    await read(2);
    for (let n = 0; n < 50; n++) await register("b", `n${n}`);
    await leave("b");
    await leave("a");
    await register("c", "t2");
    await register("a", "t1", "t3");
    expect(await read(2)).toEqual(["changed a +t1 +t3 @1", "added c +t2 @55"]);
  });

  it("gives only the last of several events of one change the new generation: a cut between them loses nothing", async () => {
    const { watch, store, register } = open();
    await register("z", "t0");
    const { read } = watch();
    await read(2);
    await store.apply(
      aRegister({ toolsets: [anOffer({ name: "a", tools: ["t1"] }), anOffer({ name: "b", tools: ["t2"] })] }),
    );
    expect(await read(1)).toEqual(["added a +t1 @1"]);
    const again = watch({ fromGeneration: "1", epoch: "one" });
    expect(await again.read(3)).toEqual(["added a +t1 @1", "added b +t2 @2", "synced @2"]);
    expect(await read(1)).toEqual(["added b +t2 @2"]);
  });

  it("does not lose a change that comes while messages are taken", async () => {
    const { watch, register } = open();
    await register("a", "t1");
    await register("b", "t2");
    const { read } = watch();
    expect(await read(1)).toEqual(["added a +t1 @2"]);
    await register("a", "t3");
    expect(await read(3)).toEqual(["added b +t2 @2", "synced @2", "changed a +t3 @3"]);
  });
});

describe("WatchToolsets: resuming", () => {
  it("goes on after a generation that it still knows", async () => {
    const { watch, register, leave } = open();
    await register("a", "t1");
    await register("b", "t2");
    await leave("a");
    expect(await watch({ fromGeneration: "1", epoch: "one" }).read(3)).toEqual([
      "removed a @1",
      "added b +t2 @3",
      "synced @3",
    ]);
    expect(await watch({ fromGeneration: "3", epoch: "one" }).read(1)).toEqual(["synced @3"]);
  });

  it.each([
    ["of another epoch", { fromGeneration: "1", epoch: "two" }],
    ["without an epoch", { fromGeneration: "1" }],
    ["that never was", { fromGeneration: "99", epoch: "one" }],
    ["beyond all numbers", { fromGeneration: "18446744073709551615", epoch: "one" }],
  ])("sends everything anew, and says so, for a generation %s", async (_what, request) => {
    const { watch, register } = open();
    await register("a", "t1");
    expect(await watch(request).read(3)).toEqual(["reset @0", "added a +t1 @1", "synced @1"]);
  });
});

describe("WatchToolsets: heartbeats and ends", () => {
  it("sends a heartbeat when nothing happens for the asked time", async () => {
    const { watch, clock } = open();
    const { read, next } = watch({ heartbeatInterval: durationFromMs(2_000) });
    await read(1);
    const beat = next();
    await clock.advanceAsync(1_999);
    expect(clock.pending).toBe(1);
    await clock.advanceAsync(1);
    expect(wordsOf(await beat)).toBe("heartbeat @0");
  });

  it("sends one every 15 s where nothing is asked", async () => {
    const { watch, clock } = open();
    const { read, next } = watch();
    await read(1);
    const beat = next();
    await clock.advanceAsync(15_000);
    expect(wordsOf(await beat)).toBe("heartbeat @0");
  });

  it("sends heartbeats also while things happen that this watcher does not see", async () => {
    const { watch, clock, register } = open();
    const { read, next } = watch({ toolsets: ["mine"], heartbeatInterval: durationFromMs(2_000) });
    await read(1);
    const beat = next();
    for (let n = 0; n < 4; n++) {
      await clock.advanceAsync(500);
      await register("other", `t${n}`);
    }
    await clock.advanceAsync(0);
    expect(wordsOf(await beat)).toBe("heartbeat @3");
  });

  it.each([999, 300_001])("refuses a heartbeat every %d ms", async (ms) => {
    const { watch, feed } = open();
    await expect(watch({ heartbeatInterval: durationFromMs(ms) }).next()).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("1 s to 5 min"),
    });
    expect(feed.readers).toBe(0);
  });

  it("ends with UNAVAILABLE when the gateway stops, at once for one that waits", async () => {
    const { watch, draining, clock, feed } = open();
    const { read, next } = watch();
    await read(1);
    const waiting = next();
    draining.abort();
    await expect(waiting).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect([clock.pending, feed.readers]).toEqual([0, 0]);
  });

  it("ends when the caller goes, and leaves nothing", async () => {
    const { watch, clock, feed } = open();
    const gone = new AbortController();
    const { read, stream } = watch({}, { signal: gone.signal });
    await read(1);
    const waiting = stream.next();
    gone.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect([clock.pending, feed.readers]).toEqual([0, 0]);
  });

  it("leaves nothing when it is not read to its end", async () => {
    const { watch, feed, register } = open();
    await register("a", "t1");
    const { stream, read } = watch();
    await read(1);
    expect(feed.readers).toBe(1);
    await stream.return(undefined);
    expect(feed.readers).toBe(0);
  });
});

describe("WatchToolsets: messages", () => {
  it("makes the messages of a change once for all watchers who see the same", async () => {
    const { watch, register } = open();
    const watches = [watch(), watch(), watch({ toolsets: ["a"] }), watch({ toolsets: ["a"] })];
    for (const { read } of watches) await read(1);
    await register("a", "t1");
    const [first, second, third, fourth] = await Promise.all(watches.map(({ next }) => next()));
    expect(first).toBe(second);
    expect(third).toBe(fourth);
    expect(third).toEqual(first);
  });
});
