import { describe, expect, it } from "vitest";
import { UsageError } from "../exit-codes.ts";
import { readPairs } from "./pairs.ts";

describe("readPairs", () => {
  it("cuts at the first = (cli-03, openclaw/mcporter#100, #150)", () => {
    expect([...readPairs(["expr=a:=b=c", "price:=5.20"])]).toEqual([
      ["expr", ["a:=b=c"]],
      ["price:", ["5.20"]],
    ]);
  });

  it("keeps empty text, and every value of a repeated name in its order", () => {
    expect([...readPairs(["tag=b", "opt=", "tag=a"])]).toEqual([
      ["tag", ["b", "a"]],
      ["opt", [""]],
    ]);
  });

  it("keeps names that objects have already", () => {
    expect(readPairs(["__proto__=1"]).get("__proto__")).toEqual(["1"]);
  });

  it.each(["city", "=Beijing", ""])("refuses %j", (text) => {
    expect(() => readPairs([text])).toThrow(UsageError);
    expect(() => readPairs([text])).toThrow("--param needs NAME=VALUE");
  });
});
