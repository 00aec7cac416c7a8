import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ListToolsRequestSchema, type ListToolsResponse } from "@toolgate/contract";
import { checkKey, type Tool } from "@toolgate/core";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { anOffer, aRegister, aTool } from "@toolgate/testkit/builders";
import { describe, expect, it } from "vitest";
import { aCaller, aContext } from "../../../test/worlds.ts";
import { LastErrors } from "../../telemetry/last-errors.ts";
import type { RequestContext } from "./context.ts";
import { listToolsHandler, type MissingTools } from "./list-tools.ts";

type Request = Parameters<typeof create<typeof ListToolsRequestSchema>>[1];

function open(missing: readonly MissingTools[] = []) {
  const store = createMemoryRegistryStore({ epoch: "one" });
  const lastErrors = new LastErrors(store, () => 0);
  const handler = listToolsHandler({ registry: store, missing: () => missing, lastErrors });
  const list = (request: Request = {}, context: Partial<RequestContext> = {}) =>
    handler(create(ListToolsRequestSchema, request), aContext(context));
  const register = (name: string, tools: readonly (string | Tool)[], aliases: readonly string[] = []) =>
    store.apply(aRegister({ lease: name, toolsets: [anOffer({ name, tools, aliases })], replace: true }));
  return { store, list, register };
}

const names = ({ tools }: ListToolsResponse) => tools.map(({ name }) => name);

describe("ListTools", () => {
  it("watch-04 (maximhq/bifrost#2347): lists in the same order, whatever the order of registration", async () => {
    const [one, other] = [open(), open()];
    await one.register("s", ["b", "Z", "a", "_x", "a.b"]);
    await other.register("s", ["a.b", "a"]);
    await other.register("s", ["_x", "Z", "b", "a", "a.b"]);
    const expected = ["Z", "_x", "a", "a.b", "b"];
    for (let n = 0; n < 10; n++) expect(names(await one.list())).toEqual(expected);
    expect(names(await other.list())).toEqual(expected);
  });

  it("says generation, total, and the toolsets of what it lists", async () => {
    const { list, register } = open();
    await register("web", ["search"], ["w"]);
    await register("other", ["echo"]);
    const response = await list({ toolset: "w" });
    expect(response).toMatchObject({ generation: "2", total: 1, notModified: false, nextPageToken: "" });
    expect(response.toolsets).toMatchObject([{ name: "web", aliases: ["w"], tools: 1 }]);
    expect((await list()).toolsets.map(({ name }) => name)).toEqual(["other", "web"]);
  });

  it("filters by name, capability, tag and words, all together", async () => {
    const { list, register } = open();
    await register("s", [
      aTool({ name: "web_search", capabilities: ["search"], tags: ["x"], description: "finds pages" }),
      aTool({ name: "file_search", capabilities: ["search"], description: "finds files" }),
      aTool({ name: "echo", tags: ["x"] }),
    ]);
    expect(names(await list({ capability: "search" }))).toEqual(["file_search", "web_search"]);
    expect(names(await list({ tag: "x" }))).toEqual(["echo", "web_search"]);
    expect(names(await list({ capability: "search", tag: "x" }))).toEqual(["web_search"]);
    expect(names(await list({ query: "finds pages" }))).toEqual(["web_search"]);
    expect(names(await list({ name: "echo" }))).toEqual(["echo"]);
    for (const name of ["__proto__", "constructor", "nothing"]) {
      expect(names(await list({ name }))).toEqual([]);
      expect(names(await list({ toolset: name }))).toEqual([]);
    }
  });

  it("lists only what the caller may call, and counts no more", async () => {
    const { list, register } = open();
    await register("open", ["a"]);
    await register("closed", [aTool({ name: "b", scopes: ["secret"] })]);
    const response = await list({}, { caller: aCaller() });
    expect(names(response)).toEqual(["a"]);
    expect(response.total).toBe(1);
    expect(response.toolsets.map(({ name }) => name)).toEqual(["open"]);
    expect(names(await list({}, { caller: aCaller("secret") }))).toEqual(["a", "b"]);
  });

  it("leaves out what cannot be used, unless it is asked for", async () => {
    const { list, register, store } = open();
    const check = { kind: "env", settings: { name: "KEY" } };
    await register("s", ["a", aTool({ name: "b", check }), "c"]);
    await store.apply({
      type: "setHealth",
      checkKey: checkKey(check),
      health: { state: "unavailable", reason: "no KEY" },
    });
    await store.apply({ type: "setToolEnabled", tool: "c", enabled: false });
    expect(names(await list())).toEqual(["a"]);
    const all = await list({ includeUnavailable: true });
    expect(all.tools).toMatchObject([
      { name: "a" },
      { name: "b", health: { reason: "no KEY" } },
      { name: "c", enabled: false },
    ]);
  });

  it("lists nothing to a caller who has the generation", async () => {
    const { list, register } = open();
    await register("s", ["a"]);
    expect(await list({ ifGeneration: "1" })).toMatchObject({ notModified: true, generation: "1", tools: [] });
    expect(await list({ ifGeneration: "0" })).toMatchObject({ notModified: false, tools: [{ name: "a" }] });
  });

  it("names the sources whose tools are missing, and lists the others", async () => {
    const { list, register } = open([{ source: "file broken.yaml", reason: "line 3", since: 1_735_689_600_000 }]);
    await register("s", ["a"]);
    const { missing, tools } = await list();
    expect(tools).toHaveLength(1);
    expect(missing).toMatchObject([{ source: "file broken.yaml", reason: "line 3" }]);
    expect(missing[0]?.since && timestampMs(missing[0].since)).toBe(1_735_689_600_000);
  });

  it("shows the health of the moment, also of a tool that it has shown before", async () => {
    const { list, register, store } = open();
    await register("s", ["a"]);
    await list({ includeUnavailable: true });
    await store.apply({ type: "setToolEnabled", tool: "a", enabled: false });
    expect((await list({ includeUnavailable: true })).tools[0]?.enabled).toBe(false);
  });
});

describe("ListTools: pages", () => {
  async function allPages(list: ReturnType<typeof open>["list"], request: Request = {}) {
    const pages: string[][] = [];
    let pageToken = "";
    do {
      const page = await list({ ...request, pageToken });
      pages.push(names(page));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return pages;
  }

  it("holds at most what was asked for, and ends", async () => {
    const { list, register } = open();
    await register("s", ["a", "b", "c", "d", "e"]);
    expect(await allPages(list, { pageSize: 2 })).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(await allPages(list, { pageSize: 5 })).toEqual([["a", "b", "c", "d", "e"]]);
    expect((await list({ pageSize: 2 })).total).toBe(5);
  });

  it("holds at most 1,000 tools, also where more are asked for", async () => {
    const { list, register } = open();
    await register(
      "s",
      Array.from({ length: 1_001 }, (_, n) => `t${n}`),
    );
    for (const pageSize of [0, 1_000, 4_000_000_000]) {
      expect((await allPages(list, { pageSize })).map((page) => page.length)).toEqual([1_000, 1]);
    }
  });

  it("skips and repeats nothing when tools come and go between pages", async () => {
    const { list, register } = open();
    await register("s", ["b", "d", "f"]);
    const first = await list({ pageSize: 2 });
    expect(names(first)).toEqual(["b", "d"]);
    await register("s", ["a", "c", "e", "f"]);
    expect(names(await list({ pageSize: 2, pageToken: first.nextPageToken }))).toEqual(["e", "f"]);
  });

  it("pages through a ranked list in the order of the rank", async () => {
    const { list, register } = open();
    await register("s", [
      aTool({ name: "z", tags: ["find"] }),
      "find",
      "finder",
      aTool({ name: "a", description: "find" }),
    ]);
    const whole = names(await list({ query: "find" }));
    expect(whole[0]).toBe("find");
    expect((await allPages(list, { query: "find", pageSize: 1 })).flat()).toEqual(whole);
  });

  it("refuses a token of a request with other filters", async () => {
    const { list, register } = open();
    await register("s", ["a", "b"]);
    const { nextPageToken } = await list({ pageSize: 1 });
    await expect(list({ pageToken: nextPageToken, tag: "x" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("other filters"),
    });
    // The size of a page is no filter.
    expect(names(await list({ pageToken: nextPageToken, pageSize: 7 }))).toEqual(["b"]);
  });

  it("refuses what is no token of its own", async () => {
    const { list, register } = open();
    await register("s", ["a", "b"]);
    const { nextPageToken } = await list({ pageSize: 1 });
    const { of } = JSON.parse(Buffer.from(nextPageToken, "base64url").toString()) as { of: string };
    const forged = [
      { at: -1, of },
      { at: 0.5, of },
      { at: "1", of },
      { after: 1, of },
      { after: null, of },
      null,
      7,
      [],
      "x",
    ];
    const texts = [
      "x",
      "////",
      "🎉",
      ...forged.map((token) => Buffer.from(JSON.stringify(token)).toString("base64url")),
    ];
    for (const pageToken of texts) {
      await expect(list({ pageToken }), pageToken).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });
});
