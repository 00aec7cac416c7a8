import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenize } from "./tokenize.ts";

describe("terms", () => {
  it.each([
    ["The Quick-brown fox", ["the", "quick", "brown", "fox"]],
    ["read_file", ["read_file", "read", "file"]],
    ["createHttpBackend", ["createhttpbackend", "create", "http", "backend"]],
    ["ＡＢＣ １２", ["abc", "12"]],
    ["naïve Über", ["naïve", "über"]],
    ["天气查询", ["天气", "查询", "气查"]],
    ["用Redis限流", ["用", "redis", "限", "流", "限流"]],
    ["Limits pass", ["limits", "limit", "pass"]],
    ["", []],
    ["— …", []],
  ])("of %j", (text, terms) => {
    expect(tokenize(text)).toEqual(terms);
  });

  it("leave out what is data and not a word", () => {
    expect(tokenize("a".repeat(65))).toEqual([]);
  });

  it("are never empty, whatever the text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => tokenize(text).every((term) => term.length > 0)));
  });
});
