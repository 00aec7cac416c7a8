import { describe, expect, it } from "vitest";
import { failureOf } from "../failure-of.fixture.ts";
import { ToolgateClientError } from "../index.ts";
import { eventOf, type ToolsetEvent } from "./events.ts";
import { message } from "./messages.fixture.ts";
import { createToolsetView } from "./view.ts";

/** A client whose watch says what the test wants, when it wants. */
function source() {
  const waiting: { event?: ToolsetEvent; failure?: Error }[] = [];
  let wake = () => {};
  const tell = (item: { event?: ToolsetEvent; failure?: Error }) => {
    waiting.push(item);
    wake();
  };
  return {
    fail: (failure: Error) => tell({ failure }),
    say: (...words: readonly string[]) => {
      for (const one of words) tell({ event: eventOf(message(one)) as ToolsetEvent });
    },
    async *watchToolsets({ signal }: { signal?: AbortSignal }): AsyncGenerator<ToolsetEvent> {
      signal?.addEventListener("abort", () => wake());
      while (signal?.aborted !== true) {
        const next = waiting.shift();
        if (next?.failure !== undefined) throw next.failure;
        if (next?.event !== undefined) yield next.event;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

describe("createToolsetView", () => {
  it("shows the tools when the list is whole, and follows every change", async () => {
    const client = source();
    const view = createToolsetView(client);
    client.say("added b t3 @1", "added a t2 t1 !t0 @1");
    expect(view.tools()).toEqual([]);
    client.say("synced @1");
    await view.ready;
    expect(names(view.tools())).toEqual(["t1", "t2", "t3"]);
    expect(names(view.tools({ includeUnavailable: true }))).toEqual(["t0", "t1", "t2", "t3"]);
    expect(names(view.toolsets())).toEqual(["a", "b"]);
    expect(view.tool("t0")?.health.state).toBe("unavailable");
    expect(view.tool("toString")).toBeUndefined();
    client.say("changed a t9 -t1 @2", "health a t0 @3", "removed b @4");
    await expect.poll(() => names(view.tools())).toEqual(["t0", "t2", "t9"]);
    view.close();
  });

  it("keeps a tool that moved, whichever toolset is told first", async () => {
    const client = source();
    const view = createToolsetView(client);
    client.say("added a t1 @1", "synced @1", "added b t1 @1", "changed a -t1 @2");
    await expect.poll(() => view.tool("t1")?.toolset).toBe("b");
    expect(names(view.tools())).toEqual(["t1"]);
    view.close();
  });

  it("shows what was known until a new snapshot is whole", async () => {
    const client = source();
    const view = createToolsetView(client);
    let changes = 0;
    view.onChange(() => changes++);
    client.say("added a t1 @5", "synced @5");
    await expect.poll(() => changes).toBe(1);
    client.say("reset @0", "added b t2 @1");
    await new Promise((resolve) => setImmediate(resolve));
    expect(names(view.tools())).toEqual(["t1"]);
    client.say("synced @1");
    await expect.poll(() => changes).toBe(2);
    expect(names(view.tools())).toEqual(["t2"]);
    view.close();
  });

  it("tells each listener of a change, until it no longer wants to hear", async () => {
    const client = source();
    const view = createToolsetView(client);
    const heard: string[] = [];
    const stop = view.onChange(() => heard.push("a"));
    view.onChange(() => heard.push("b"));
    client.say("synced @1");
    await expect.poll(() => heard).toEqual(["a", "b"]);
    stop();
    client.say("added a @2");
    await expect.poll(() => heard).toEqual(["a", "b", "b"]);
    view.close();
  });

  it("says why it has no list, or is no longer up to date", async () => {
    const refused = new ToolgateClientError("UNAUTHENTICATED", "no key", { mayHaveRun: false });
    const client = source();
    const view = createToolsetView(client);
    client.fail(refused);
    expect(await failureOf(view.ready)).toBe(refused);
    expect(view.failure).toBe(refused);
    const later = source();
    const other = createToolsetView(later);
    later.say("added a t1 @1", "synced @1");
    await other.ready;
    expect(other.failure).toBeUndefined();
    later.fail(refused);
    await expect.poll(() => other.failure).toBe(refused);
    expect(names(other.tools())).toEqual(["t1"]);
  });

  it("ends by close, and by its signal", async () => {
    const view = createToolsetView(source());
    view.close();
    expect(await failureOf(view.ready)).toMatchObject({ code: "CANCELLED" });
    const controller = new AbortController();
    const other = createToolsetView(source(), { signal: controller.signal });
    controller.abort();
    expect(await failureOf(other.ready)).toMatchObject({ code: "CANCELLED" });
  });
});
