import { type Caller, EMPTY_SNAPSHOT, type Snapshot, type Tool, type ToolsetEvent } from "@toolgate/core";
import { SnapshotFeed } from "@toolgate/registrar";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { anOffer, aRegister, aTool } from "@toolgate/testkit/builders";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aCaller, OPERATOR } from "../../../test/worlds.ts";
import { eventsInView, showsTool, viewKey, type WatchView } from "./watch-view.ts";

const tool = (name: string, ...scopes: string[]): Tool => aTool({ name, scopes, revision: `${name} ${scopes}` });

function open() {
  const store = createMemoryRegistryStore({ epoch: "one" });
  const feed = new SnapshotFeed(store);
  const register = (name: string, tools: readonly Tool[], aliases: readonly string[] = []) =>
    store.apply(aRegister({ lease: name, toolsets: [anOffer({ name, tools, aliases })], replace: true }));
  /** What a view is told of what `change` does. */
  const told = async (view: WatchView, change: () => Promise<unknown>) => {
    const known = store.snapshot();
    await change();
    return eventsInView(feed.step(known), view);
  };
  return { store, feed, register, told };
}

const everything: WatchView = { caller: OPERATOR, toolsets: [] };
const withScopes = (...scopes: string[]): WatchView => ({ caller: aCaller(...scopes), toolsets: [] });
const only = (...toolsets: string[]): WatchView => ({ caller: OPERATOR, toolsets });

describe("what a watcher sees: scopes", () => {
  it("is told of a toolset as soon as it may call a tool of it, and of no other", async () => {
    const { register, told } = open();
    expect(await told(withScopes(), () => register("a", [tool("t1", "secret")]))).toEqual([]);
    expect(await told(withScopes(), () => register("b", [tool("t2"), tool("t3", "secret")]))).toEqual([
      { type: "added", toolset: "b" },
    ]);
    expect(await told(withScopes(), () => register("a", [tool("t1"), tool("t4")]))).toEqual([
      { type: "added", toolset: "a" },
    ]);
  });

  it("is told that a tool is gone when it may not call it any more, and that a toolset is with its last one", async () => {
    const { register, told } = open();
    await register("a", [tool("t1"), tool("t2")]);
    expect(await told(withScopes(), () => register("a", [tool("t1", "secret"), tool("t2")]))).toEqual([
      { type: "changed", toolset: "a", changedTools: [], removedTools: ["t1"] },
    ]);
    expect(await told(withScopes(), () => register("a", [tool("t1"), tool("t2", "secret")]))).toEqual([
      { type: "changed", toolset: "a", changedTools: ["t1"], removedTools: ["t2"] },
    ]);
    expect(await told(withScopes(), () => register("a", [tool("t1", "x"), tool("t2", "x")]))).toEqual([
      { type: "removed", toolset: "a" },
    ]);
  });

  it("never hears the name of a tool that it may not call, not even when that goes", async () => {
    const { register, told, store } = open();
    await register("a", [tool("t1"), tool("t2", "secret"), tool("t3", "secret")]);
    const events = await told(withScopes(), () => register("a", [tool("t1"), tool("t3", "secret", "more")]));
    expect(JSON.stringify(events)).not.toMatch(/t2|t3/);
    const off = () => store.apply({ type: "setToolEnabled", tool: "t3", enabled: false });
    expect(JSON.stringify(await told(withScopes(), off))).not.toContain("t3");
    expect(await told(withScopes("secret", "more"), () => register("a", [tool("t1")]))).toEqual([
      { type: "changed", toolset: "a", changedTools: [], removedTools: ["t3"] },
    ]);
  });

  it("is told everything with every scope", async () => {
    const { register, told, feed } = open();
    const events = await told(everything, () => register("a", [tool("t1", "secret")]));
    expect(events).toEqual(feed.step(EMPTY_SNAPSHOT).events);
  });
});

describe("what a watcher sees: the toolsets it asked for", () => {
  it("hears of those only, by name or alias", async () => {
    const { register, told } = open();
    expect(await told(only("github"), () => register("mcp-github", [tool("t1")], ["github"]))).toEqual([
      { type: "added", toolset: "mcp-github" },
    ]);
    expect(await told(only("github"), () => register("other", [tool("t2")]))).toEqual([]);
    expect(await told(only("mcp-github"), () => register("mcp-github", [tool("t3")], ["github"]))).toEqual([
      { type: "changed", toolset: "mcp-github", changedTools: ["t3"], removedTools: ["t1"] },
    ]);
  });

  it("is given a toolset whole when it gets the alias that was asked for, and loses it with the alias", async () => {
    const { register, told } = open();
    const tools = [tool("t1"), tool("t2")];
    await register("mcp-github", tools);
    expect(await told(only("github"), () => register("mcp-github", tools, ["github"]))).toEqual([
      { type: "added", toolset: "mcp-github" },
    ]);
    expect(await told(only("github"), () => register("mcp-github", tools))).toEqual([
      { type: "removed", toolset: "mcp-github" },
    ]);
  });

  it("follows a name from the alias to the toolset that is really called so, and back", async () => {
    const { register, told, store } = open();
    await register("mcp-github", [tool("t1")], ["github"]);
    expect(await told(only("github"), () => register("github", [tool("t2")]))).toEqual([
      { type: "removed", toolset: "mcp-github" },
      { type: "added", toolset: "github" },
    ]);
    const leave = () => store.apply({ type: "deregister", leaseId: "github", registrantId: "alice", tools: [] });
    expect(await told(only("github"), leave)).toEqual([
      { type: "removed", toolset: "github" },
      { type: "added", toolset: "mcp-github" },
    ]);
  });
});

describe("viewKey", () => {
  it("is the same for views that see the same, and for no others", () => {
    const key = (caller: Caller, ...toolsets: string[]) => viewKey({ caller, toolsets });
    expect(key(aCaller("a", "b"), "x", "y")).toBe(key({ ...aCaller("b", "a"), id: "bob" }, "y", "x"));
    const different = [
      key(aCaller()),
      key(OPERATOR),
      key(aCaller("a")),
      key(aCaller(), "a"),
      key(aCaller("a,b")),
      key(aCaller("a", "b")),
    ];
    expect(new Set(different).size).toBe(different.length);
  });
});

describe("following a view", () => {
  /** The names that a view shows, by toolset. */
  function shown(snapshot: Snapshot, view: WatchView): Record<string, string[]> {
    const whole: Snapshot = { ...snapshot, generation: -1 };
    const events = eventsInView({ before: EMPTY_SNAPSHOT, snapshot: whole, events: added(snapshot) }, view);
    return apply({}, events, snapshot, view);
  }

  const added = (snapshot: Snapshot): ToolsetEvent[] =>
    [...snapshot.toolsets.keys()].map((toolset) => ({ type: "added", toolset }));

  function apply(
    model: Record<string, string[]>,
    events: readonly ToolsetEvent[],
    ...[snapshot, view]: [Snapshot, WatchView]
  ): Record<string, string[]> {
    const next = { ...model };
    for (const event of events) {
      const had = next[event.toolset];
      expect(had === undefined).toBe(event.type === "added");
      delete next[event.toolset];
      if (event.type === "removed") continue;
      const members = snapshot.toolsets.get(event.toolset)?.tools ?? [];
      if (event.type === "added") next[event.toolset] = members.filter((name) => showsTool(view, snapshot, name));
      else {
        const stayed = (had ?? []).filter((name) => !event.removedTools.includes(name));
        next[event.toolset] = [...new Set([...stayed, ...event.changedTools])].sort();
      }
    }
    return next;
  }

  it("ends in what a fresh snapshot shows, whatever happened and however late the reader is", async () => {
    const names = fc.subarray(["t1", "t2", "t3"], { minLength: 1 });
    const change = fc.record({
      toolset: fc.constantFrom("a", "b", "github"),
      tools: names,
      secret: fc.boolean(),
      aliases: fc.subarray(["github", "x"]),
      read: fc.boolean(),
      leave: fc.boolean(),
    });
    const views = fc.constantFrom(withScopes(), withScopes("secret"), only("github"), only("a", "x"), {
      ...withScopes(),
      toolsets: ["github"],
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 15 }), views, async (changes, view) => {
        const { store, feed, register } = open();
        let known = EMPTY_SNAPSHOT;
        let model: Record<string, string[]> = {};
        const read = () => {
          const step = feed.step(known);
          model = apply(model, eventsInView(step, view), step.snapshot, view);
          known = step.snapshot;
        };
        for (const { toolset, tools, secret, aliases, ...then } of changes) {
          const scoped = tools.map((name) => tool(name, ...(secret ? ["secret"] : [])));
          if (then.leave) await store.apply({ type: "deregister", leaseId: toolset, registrantId: "alice", tools: [] });
          else await register(toolset, scoped, aliases);
          if (then.read) read();
        }
        read();
        expect(model).toEqual(shown(store.snapshot(), view));
      }),
      { numRuns: 500 },
    );
  });
});
