import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearNames } from "./near-names.ts";

/** The optimal string alignment distance as it is defined. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(restA, restB);
  const swapped = a[0] === b[1] && a[1] === b[0] ? 1 + distance(a.slice(2), b.slice(2)) : Number.POSITIVE_INFINITY;
  return Math.min(swapped, 1 + distance(restA, b), 1 + distance(a, restB), 1 + distance(restA, restB));
}

function naive(wanted: string, names: readonly string[], count: number): string[] {
  const limit = Math.min(8, Math.max(1, Math.floor(wanted.length / 3)));
  return names
    .map((name) => ({ name, edits: distance(wanted, name) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}

describe("nearNames", () => {
  it("finds the same as a plain search", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 7 });
    const names = fc.uniqueArray(word, { maxLength: 8 });
    fc.assert(
      fc.property(word, names, fc.integer({ min: 1, max: 4 }), (wanted, known, count) => {
        expect(nearNames(wanted, known, count)).toEqual(naive(wanted, known, count));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["web_serach", "web_search"],
    ["websearch", "web_search"],
    ["Web-Search", "web_search"],
    ["web_searc", "web_search"],
    ["wob_search", "web_search"],
  ])("knows what %s was meant to be", (wanted, name) => {
    expect(nearNames(wanted, ["weather", "web_search", "memory"])).toEqual([name]);
  });

  it("puts the closest first, at most three, and says nothing of what is far", () => {
    const names = ["file_red", "file_read", "file_reads", "file_ready", "delete_everything"];
    expect(nearNames("file_read", names)).toEqual(["file_read", "file_reads", "file_ready"]);
    expect(nearNames("zzz", names)).toEqual([]);
    expect(nearNames("", names)).toEqual([]);
  });

  it("accepts at most eight edits, however long the name", () => {
    const name = "n".repeat(90);
    expect(nearNames(`${name}${"x".repeat(8)}`, [name])).toEqual([name]);
    expect(nearNames(`${name}${"x".repeat(9)}`, [name])).toEqual([]);
  });

  it.each(["__proto__", "constructor", "toString"])("security-12 (node-config#906): %s is a name", (name) => {
    expect(nearNames(name, ["web_search"])).toEqual([]);
    expect(nearNames(name, [name])).toEqual([name]);
  });
});
