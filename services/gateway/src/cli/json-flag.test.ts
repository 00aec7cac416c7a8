import { describe, expect, it } from "vitest";
import { expandJsonFlag } from "./json-flag.ts";

describe("expandJsonFlag", () => {
  it.each([
    [
      ["call", "t", "--json"],
      ["call", "t", "--json"],
    ],
    [
      ["call", "--json", "t"],
      ["call", "--json", "t"],
    ],
    [
      ["call", "--json", "--raw", "t"],
      ["call", "--json", "--raw", "t"],
    ],
    [
      ["call", "t", "--json", '{"a":1}'],
      ["call", "t", "--json", '--params-json={"a":1}'],
    ],
    [
      ["call", "--json", ' {"a":1}', "t"],
      ["call", "--json", '--params-json= {"a":1}', "t"],
    ],
    [
      ["call", "t", '--json={"a":1}'],
      ["call", "t", "--json", '--params-json={"a":1}'],
    ],
    [
      ["call", "t", "--json", "@args.json"],
      ["call", "t", "--json", "--params-json=@args.json"],
    ],
    [
      ["call", "t", "--json", "-"],
      ["call", "t", "--json", "--params-json=-"],
    ],
    [
      ["call", "--", "--json", "{}"],
      ["call", "--", "--json", "{}"],
    ],
  ])("%j", (given, expanded) => {
    expect(expandJsonFlag(given)).toEqual(expanded);
  });
});
