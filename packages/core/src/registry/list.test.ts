import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool, registryAfter } from "../../test/builders.ts";
import { type ListFilter, listTools } from "./list.ts";
import type { Snapshot } from "./snapshot.ts";

const snapshot = registryAfter(
  aRegister({
    toolsets: [
      anOffer({
        name: "mcp-web",
        aliases: ["web"],
        tools: [
          aTool({
            name: "web_search",
            title: "Search",
            description: "Finds pages",
            capabilities: ["search"],
            tags: ["net"],
          }),
          aTool({ name: "fetch", description: "Loads a page of a search", tags: ["net", "slow"] }),
          aTool({ name: "broken", tags: ["net"], enabled: false }),
        ],
      }),
      anOffer({
        name: "files",
        tools: [aTool({ name: "search", description: "Looks into files", capabilities: ["search"] })],
      }),
    ],
  }),
);

function list(filter: Partial<ListFilter> = {}, from: Snapshot = snapshot): string[] {
  return listTools(from, { includeUnavailable: false, ...filter }).map(({ tool }) => tool.name);
}

describe("listTools", () => {
  it("lists usable tools by name", () => {
    expect(list()).toEqual(["fetch", "search", "web_search"]);
    expect(list({ includeUnavailable: true })).toEqual(["broken", "fetch", "search", "web_search"]);
  });

  it("filters by toolset, also by its alias", () => {
    expect(list({ toolset: "mcp-web" })).toEqual(["fetch", "web_search"]);
    expect(list({ toolset: "web" })).toEqual(["fetch", "web_search"]);
    expect(list({ toolset: "no-such" })).toEqual([]);
  });

  it("filters by name, capability and tag, and by all of them together", () => {
    expect(list({ name: "fetch" })).toEqual(["fetch"]);
    expect(list({ name: "broken" })).toEqual([]);
    expect(list({ capability: "search" })).toEqual(["search", "web_search"]);
    expect(list({ tag: "net" })).toEqual(["fetch", "web_search"]);
    expect(list({ capability: "search", tag: "net", toolset: "web" })).toEqual(["web_search"]);
    expect(list({ name: "search", toolset: "web" })).toEqual([]);
  });

  it("ranks by where a word occurs: name, then title and tags, then description", () => {
    expect(list({ query: "search" })).toEqual(["search", "web_search", "fetch"]);
  });

  it("wants every word, in any order and any case", () => {
    expect(list({ query: "PAGES  web" })).toEqual(["web_search"]);
    expect(list({ query: "search nothing" })).toEqual([]);
  });

  it("keeps the order of names where the rank is equal, and for an empty query", () => {
    expect(list({ query: "net" })).toEqual(["fetch", "web_search"]);
    expect(list({ query: "  " })).toEqual(["fetch", "search", "web_search"]);
  });

  it.each(["__proto__", "constructor", "toString"])("security-12 (node-config#906): %s finds nothing", (name) => {
    const filters = [{ name }, { toolset: name }, { capability: name }, { tag: name }, { query: name }];
    expect(filters.map((filter) => list(filter))).toEqual([[], [], [], [], []]);
  });
});
