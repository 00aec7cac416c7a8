import { describe, expect, it } from "vitest";
import { DoorError } from "../door-error.ts";
import { readListQuery } from "./list-query.ts";

const read = (query: string) => readListQuery(new URLSearchParams(query));

describe("readListQuery", () => {
  it("asks for everything where nothing is said", () => {
    expect(read("")).toMatchObject({ toolset: "", name: "", query: "", includeUnavailable: false, pageSize: 0 });
    expect(read("").ifGeneration).toBeUndefined();
  });

  it("reads every filter by its proto name", () => {
    expect(
      read(
        "toolset=web&name=n&capability=c&tag=t&query=two+words%21&page_token=p&page_size=10&include_unavailable=true&if_generation=7",
      ),
    ).toMatchObject({
      toolset: "web",
      name: "n",
      capability: "c",
      tag: "t",
      query: "two words!",
      pageToken: "p",
      pageSize: 10,
      includeUnavailable: true,
      ifGeneration: "7",
    });
  });

  it.each([
    ["true", true],
    ["1", true],
    ["", true],
    ["false", false],
    ["0", false],
  ])("reads include_unavailable=%s", (text, expected) => {
    expect(read(`include_unavailable=${text}`).includeUnavailable).toBe(expected);
  });

  it.each([
    ["include_unavailable=yes", "include_unavailable must be true or false"],
    ["page_size=1001", "page_size must be a whole number from 0 to 1000"],
    ["page_size=-1", "page_size must be"],
    ["page_size=1.5", "page_size must be"],
    ["page_size=", "page_size must be"],
    ["if_generation=0x10", "if_generation must be a whole number"],
    ["if_generation=99999999999999999999", "if_generation must be"],
    ["tolset=web", 'Unknown query parameter "tolset". Did you mean toolset?'],
    ["pageSize=1", "Did you mean page_size?"],
    ["__proto__=1", 'Unknown query parameter "__proto__". Known: toolset,'],
    ["constructor=1", "Unknown query parameter"],
  ])("refuses %s, in words", (query, message) => {
    expect(() => read(query)).toThrow(DoorError);
    expect(() => read(query)).toThrow(message);
  });
});
