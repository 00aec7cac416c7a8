import { describe, expect, it } from "vitest";
import { type Claimant, type Holders, settleClaims } from "./claims.ts";
import type { FileTool } from "./parse-tool-file.ts";

const file = (path: string, names: readonly string[], digest = path): Claimant => ({
  path,
  digest,
  tools: names.map((name, index) => ({ definition: { name }, toolset: "t", line: index + 1 }) as unknown as FileTool),
});
const winners = (holders: Holders) => Object.fromEntries([...holders].map(([name, { path }]) => [name, path]));

describe("settleClaims", () => {
  it("gives a new name to the first file by path, and tells the other who has it", () => {
    const settled = settleClaims([file("a.yaml", ["x", "y"]), file("b.yaml", ["z", "x"])], new Map());
    expect(winners(settled.holders)).toEqual({ x: "a.yaml", y: "a.yaml", z: "b.yaml" });
    expect(settled.won.map(({ file, tool }) => `${file} ${tool.definition.name}`)).toEqual([
      "a.yaml x",
      "a.yaml y",
      "b.yaml z",
    ]);
    expect(settled.problems).toEqual([
      { file: "b.yaml", line: 2, column: 1, message: expect.stringMatching(/"x" is taken by the file a\.yaml/) },
    ]);
  });

  it("leaves a name with the file that had it", () => {
    const { holders } = settleClaims([file("b.yaml", ["x"])], new Map());
    const settled = settleClaims([file("a.yaml", ["x"]), file("b.yaml", ["x"])], holders);
    expect(winners(settled.holders)).toEqual({ x: "b.yaml" });
    expect(settled.problems).toMatchObject([{ file: "a.yaml" }]);
  });

  it("passes a name on when its holder drops it", () => {
    const { holders } = settleClaims([file("a.yaml", ["x"]), file("b.yaml", ["x"])], new Map());
    const settled = settleClaims([file("a.yaml", ["y"]), file("b.yaml", ["x"])], holders);
    expect(winners(settled.holders)).toEqual({ x: "b.yaml", y: "a.yaml" });
    expect(settled.problems).toEqual([]);
  });

  it("knows a renamed file by its content, also against one that comes before it", () => {
    const { holders } = settleClaims([file("a.yaml", ["x"], "1"), file("b.yaml", ["x"], "2")], new Map());
    const settled = settleClaims([file("b.yaml", ["x"], "2"), file("z.yaml", ["x"], "1")], holders);
    expect(winners(settled.holders)).toEqual({ x: "z.yaml" });
  });
});
