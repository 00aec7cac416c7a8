import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json/json.ts";
import type { BatchSpec } from "../tool/tool.ts";
import { batchItems, type Share, splitAnswer } from "./batch.ts";

const spec: BatchSpec = { param: "ids", maxItems: 3, windowMs: 5, results: "" };
const value = (of: JsonObject | JsonObject[] | unknown[]) => ({ value: of });

describe("the items of a call", () => {
  it("are the list, where it is one that fits", () => {
    expect(batchItems(spec, { ids: [1, 2], lang: "en" })).toEqual([1, 2]);
    expect(batchItems(spec, { ids: [1, 2, 3] })).toEqual([1, 2, 3]);
  });

  it.each([{}, { ids: [] }, { ids: "a" }, { ids: null }, { ids: [1, 2, 3, 4] }])("are none in %j", (args) => {
    expect(batchItems(spec, args)).toBeUndefined();
  });
});

describe("splitting an answer", () => {
  it("goes by position, and counts", () => {
    expect(splitAnswer(spec, ["a", "b", "c"], [["x", "y"], ["z"]])).toEqual([value(["a", "b"]), value(["c"])]);
    expect(splitAnswer(spec, ["a", "b"], [["x", "y"], ["z"]])).toBe("The answer has 2 results for 3 items");
  });

  it("goes by key, in any order, and gives nothing for what was not found and all that was found", () => {
    const answer = { took: 3, deep: { found: [{ id: 2, n: "b" }, { id: 1, n: "a" }, { id: 2, n: "c" }, 7] } };
    const shares = splitAnswer({ ...spec, results: "/deep/found", key: "id" }, answer, [[1, 3], [2], [3]]);
    expect(shares).toEqual([
      value({ took: 3, deep: { found: [{ id: 1, n: "a" }] } }),
      value({
        took: 3,
        deep: {
          found: [
            { id: 2, n: "b" },
            { id: 2, n: "c" },
          ],
        },
      }),
      value({ took: 3, deep: { found: [] } }),
    ]);
    expect(answer.deep.found).toHaveLength(4);
  });

  it("does not take the text of a number for the number", () => {
    expect(splitAnswer({ ...spec, key: "id" }, [{ id: "1" }, { id: 2 }], [[1], ["1"]])).toEqual([
      value([]),
      value([{ id: "1" }]),
    ]);
  });

  it("goes by name where results are members of an object", () => {
    const answer = { __proto__: null, "a/b": { x: { n: 1 }, y: { n: 2 }, "3": { n: 3 } } };
    expect(splitAnswer({ ...spec, results: "/a~1b" }, answer, [["x"], ["y", 3], ["constructor"]])).toEqual([
      value({ "a/b": { x: { n: 1 } } }),
      value({ "a/b": { y: { n: 2 }, "3": { n: 3 } } }),
      value({ "a/b": {} }),
    ]);
  });

  it("finds lists inside lists", () => {
    expect(splitAnswer({ ...spec, results: "/1" }, ["head", ["a", "b"]], [["x"], ["y"]])).toEqual([
      value(["head", ["a"]]),
      value(["head", ["b"]]),
    ]);
  });

  it.each([
    [{ error: "no such city" }, "no such city"],
    [{ error: { message: "no such city", code: 7 } }, "no such city"],
    [{ error: { code: 7 } }, '{"code":7}'],
    [{ error: 404 }, "404"],
    [{ error: true }, "true"],
  ])("makes a result with its error, %j, the failure of its own call alone", (result, failure) => {
    const shares = splitAnswer({ ...spec, error: "error" }, [result, { ok: 1 }], [["x"], ["y"]]);
    expect(shares).toEqual([{ failure }, value([{ ok: 1 }])]);
  });

  it.each([null, false, undefined])("does not take an error that is %j for one", (error) => {
    const result: JsonObject = error === undefined ? {} : { error };
    expect(splitAnswer({ ...spec, error: "error" }, [result], [["x"]])).toEqual([value([result])]);
  });

  it.each(["text", 3, null])("cannot be done with %j", (answer) => {
    expect(splitAnswer(spec, answer, [["x"]])).toBe("The answer is not a list of results");
    expect(splitAnswer({ ...spec, results: "/a" }, { a: answer }, [["x"]])).toBe(
      "The answer at /a is not a list of results",
    );
    expect(splitAnswer({ ...spec, results: "/b" }, { a: answer }, [["x"]])).toBe(
      "The answer at /b is not a list of results",
    );
  });

  it("[property] gives each call what it would have got alone, whoever it went with", () => {
    const item = fc.integer({ min: 0, max: 9 });
    const parts = fc.array(fc.array(item, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    // Three tools that answer item by item; what they say of one depends on nothing else.
    const tools: [BatchSpec, (items: readonly number[]) => JsonObject][] = [
      [{ ...spec, results: "/r" }, (items) => ({ n: 1, r: items.map((i) => ({ square: i * i })) })],
      [
        { ...spec, results: "/r", key: "i", error: "e" },
        (items) => ({
          r: [...new Set(items)].reverse().map((i) => (i > 7 ? { i, e: `no ${i}` } : { i, half: i / 2 })),
        }),
      ],
      [{ ...spec, results: "/r" }, (items) => ({ r: Object.fromEntries(items.map((i) => [String(i), i])) })],
    ];
    fc.assert(
      fc.property(parts, fc.constantFrom(...tools), (lists, [how, tool]) => {
        const together = splitAnswer(how, tool(lists.flat()), lists) as Share[];
        const alone = lists.map((list) => (splitAnswer(how, tool(list), [list]) as Share[])[0]);
        const byMembers = (share: Share | undefined) => JSON.stringify(share, membersSorted);
        expect(together.map(byMembers)).toEqual(alone.map(byMembers));
      }),
    );
  });
});

/** Order within one call's own results by key is the backend's; sets are compared. */
function membersSorted(_key: string, part: unknown): unknown {
  if (Array.isArray(part) && part.every((item) => typeof item === "object" && item !== null && "i" in item))
    return [...part].sort((a, b) => a.i - b.i);
  return part;
}
