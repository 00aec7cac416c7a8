import {
  EMPTY_SNAPSHOT,
  type Health,
  type Snapshot,
  type ToolEntry,
  type ToolsetEntry,
  toolHealth,
  toolsetHealth,
} from "@toolgate/core";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { anOffer, aRegister } from "@toolgate/testkit/builders";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { commands } from "../test/commands.ts";
import { SnapshotFeed, type Step } from "./snapshot-feed.ts";

function open() {
  const store = createMemoryRegistryStore({ epoch: "one" });
  const feed = new SnapshotFeed(store);
  const register = (...tools: string[]) => store.apply(aRegister({ toolsets: [anOffer({ tools })] }));
  return { store, feed, register };
}

describe("SnapshotFeed", () => {
  it("leads a reader from nothing to what there is", async () => {
    const { feed, register, store } = open();
    await register("a");
    expect(feed.step(EMPTY_SNAPSHOT)).toEqual({
      events: [{ type: "added", toolset: "demo" }],
      before: EMPTY_SNAPSHOT,
      snapshot: store.snapshot(),
    });
  });

  it("gives a late reader one step over everything it missed", async () => {
    const { feed, register, store } = open();
    await register("a", "b");
    const known = store.snapshot();
    await register("c");
    await store.apply({ type: "deregister", leaseId: "alice-1", registrantId: "alice", tools: ["a"] });
    await register("d");
    await store.apply({ type: "deregister", leaseId: "alice-1", registrantId: "alice", tools: ["d"] });
    const { events, snapshot } = feed.step(known);
    expect(events).toEqual([{ type: "changed", toolset: "demo", changedTools: ["c"], removedTools: ["a"] }]);
    expect(snapshot).toBe(store.snapshot());
    expect(feed.step(snapshot).events).toEqual([]);
  });

  it("says nothing where something came and went, or where only a lease was renewed", async () => {
    const { feed, register, store } = open();
    await register("a");
    const known = store.snapshot();
    await store.apply({ type: "renew", leaseId: "alice-1", registrantId: "alice", now: 1 });
    expect(feed.step(known).events).toEqual([]);
    await store.apply(aRegister({ by: "bob", toolsets: [anOffer({ name: "brief", tools: ["b"] })] }));
    await store.apply({ type: "deregister", leaseId: "bob-1", registrantId: "bob", tools: [] });
    expect(feed.step(known).events).toEqual([]);
  });

  it("computes one step for all readers at the same place", async () => {
    const { feed, register, store } = open();
    const known = store.snapshot();
    await register("a");
    const step = feed.step(known);
    expect(feed.step(known)).toBe(step);
    await store.apply({ type: "renew", leaseId: "alice-1", registrantId: "alice", now: 1 });
    expect(feed.step(known)).toBe(step);
    await register("b");
    expect(feed.step(known)).not.toBe(step);
  });

  it("recalls a generation of its own epoch, and no other", async () => {
    const { feed, register, store } = open();
    await register("a");
    const first = store.snapshot();
    await register("b");
    expect(feed.epoch).toBe("one");
    expect(feed.recall(1, "one")).toBe(first);
    expect(feed.recall(2, "one")).toBe(store.snapshot());
    expect(feed.recall(1, "two")).toBeUndefined();
    expect(feed.recall(1, "")).toBeUndefined();
    expect(feed.recall(3, "one")).toBeUndefined();
    expect(feed.recall(Number.NaN, "one")).toBeUndefined();
  });

  it("forgets the oldest after many generations, and never the newest", async () => {
    const { feed, register, store } = open();
    await register("x");
    for (let n = 0; n < 1_100; n++) {
      await store.apply({ type: "setToolEnabled", tool: "x", enabled: n % 2 === 1 });
    }
    const newest = store.snapshot().generation;
    expect(feed.recall(newest, "one")).toBe(store.snapshot());
    expect(feed.recall(newest - 127, "one")?.generation).toBe(newest - 127);
    expect(feed.recall(newest - 128, "one")).toBeUndefined();
  });

  it("keeps less of a large registry", async () => {
    const { feed, register, store } = open();
    await register(...Array.from({ length: 50_000 }, (_, n) => `t${n}`));
    for (let n = 0; n < 6; n++) await store.apply({ type: "setToolEnabled", tool: "t1", enabled: n % 2 === 1 });
    const kept = [1, 2, 3, 4, 5, 6, 7].filter((generation) => feed.recall(generation, "one") !== undefined);
    expect(kept).toEqual([4, 5, 6, 7]);
  });

  it("wakes its readers after each change, until they leave", async () => {
    const { feed, register } = open();
    const [first, second] = [vi.fn(), vi.fn()];
    const leave = feed.subscribe(first);
    feed.subscribe(second);
    expect(feed.readers).toBe(2);
    await register("a");
    leave();
    leave();
    expect(feed.readers).toBe(1);
    await register("b");
    expect([first, second].map((wake) => wake.mock.calls.length)).toEqual([1, 2]);
  });

  it("wakes a reader only once the change can be seen", async () => {
    const { feed, register } = open();
    const seen: number[] = [];
    feed.subscribe(() => seen.push(feed.step(EMPTY_SNAPSHOT).snapshot.generation));
    await register("a");
    await register("b");
    expect(seen).toEqual([1, 2]);
  });

  it("hears and tells nothing any more once it is closed", async () => {
    const { feed, register } = open();
    const wake = vi.fn();
    feed.subscribe(wake);
    feed.close();
    await register("a");
    expect(wake).not.toHaveBeenCalled();
    expect(feed.readers).toBe(0);
    expect(feed.recall(1, "one")).toBeUndefined();
  });
});

/** What a reader knows: nothing but what the events told it. */
type Model = Map<
  string,
  { toolset: ToolsetEntry; health: Health; tools: Map<string, { entry: ToolEntry; health: Health }> }
>;

function follow(model: Model, { events, snapshot }: Step): void {
  for (const event of events) {
    if (event.type === "removed") {
      expect(model.delete(event.toolset)).toBe(true);
      continue;
    }
    const toolset = snapshot.toolsets.get(event.toolset) as ToolsetEntry;
    expect(model.has(event.toolset)).toBe(event.type !== "added");
    const tools = event.type === "added" ? new Map() : (model.get(event.toolset)?.tools ?? new Map());
    const { changedTools, removedTools } =
      event.type === "added" ? { changedTools: toolset.tools, removedTools: [] } : event;
    for (const name of removedTools) expect(tools.delete(name)).toBe(true);
    for (const name of changedTools) tools.set(name, known(snapshot, name));
    model.set(event.toolset, { toolset, health: toolsetHealth(snapshot, toolset), tools });
  }
}

function known(snapshot: Snapshot, name: string) {
  const entry = snapshot.tools.get(name) as ToolEntry;
  const { state, reason } = toolHealth(snapshot, entry);
  return { entry, health: { state, reason } };
}

function fresh(snapshot: Snapshot): Model {
  const model: Model = new Map();
  for (const toolset of snapshot.toolsets.values()) {
    const tools = new Map(toolset.tools.map((name) => [name, known(snapshot, name)]));
    model.set(toolset.name, { toolset, health: toolsetHealth(snapshot, toolset), tools });
  }
  return model;
}

describe("following a feed", () => {
  it("always ends in what a fresh snapshot says, however late each reader is", async () => {
    const reads = fc.record({ read: fc.nat(3) });
    const moves = fc.array(fc.oneof({ weight: 2, arbitrary: commands }, { weight: 1, arbitrary: reads }), {
      minLength: 5,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(moves, async (steps) => {
        const store = createMemoryRegistryStore({ epoch: "one" });
        const feed = new SnapshotFeed(store);
        const readers = Array.from({ length: 4 }, () => ({ at: EMPTY_SNAPSHOT, model: new Map() as Model }));
        const read = (reader: (typeof readers)[number]) => {
          const step = feed.step(reader.at);
          follow(reader.model, step);
          reader.at = step.snapshot;
        };
        for (const step of steps) {
          if ("read" in step) read(readers[step.read] as (typeof readers)[number]);
          else await store.apply(step);
        }
        for (const reader of readers) {
          read(reader);
          expect(reader.model).toEqual(fresh(store.snapshot()));
        }
        feed.close();
      }),
      { numRuns: 300 },
    );
  });
});
