import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool, registryAfter } from "../../test/builders.ts";
import { resolveCapability, resolveTool, resolveToolset, toolNames } from "./resolve.ts";
import { EMPTY_SNAPSHOT } from "./snapshot.ts";

describe("resolve", () => {
  const snapshot = registryAfter(
    aRegister({
      toolsets: [
        anOffer({
          name: "mcp-github",
          aliases: ["github", "gh"],
          tools: [
            aTool({ name: "b", capabilities: ["issues"] }),
            aTool({ name: "a", capabilities: ["issues"], enabled: false }),
            aTool({ name: "C", capabilities: ["issues", "more"] }),
          ],
        }),
      ],
    }),
    aRegister({ by: "bob", toolsets: [anOffer({ name: "github", tools: [aTool({ name: "d" })] })] }),
  );

  it("finds a tool by its exact name only", () => {
    expect(resolveTool(snapshot, "b")?.tool.name).toBe("b");
    expect(resolveTool(snapshot, "B")).toBeUndefined();
  });

  it("finds a toolset by name before alias", () => {
    expect(resolveToolset(snapshot, "mcp-github")?.name).toBe("mcp-github");
    expect(resolveToolset(snapshot, "gh")?.name).toBe("mcp-github");
    expect(resolveToolset(snapshot, "github")?.name).toBe("github");
    expect(resolveToolset(snapshot, "GH")).toBeUndefined();
  });

  it("finds the tools of a capability, usable ones first", () => {
    expect(resolveCapability(snapshot, "issues").map(({ tool }) => tool.name)).toEqual(["C", "b", "a"]);
    expect(resolveCapability(snapshot, "none")).toEqual([]);
  });

  it("orders names by code units, once for each state of the tools", () => {
    expect(toolNames(snapshot)).toEqual(["C", "a", "b", "d"]);
    expect(toolNames(snapshot)).toBe(toolNames(snapshot));
  });

  it.each(["__proto__", "constructor", "toString", ""])("security-12 (node-config#906): %j is not found", (name) => {
    for (const registry of [snapshot, EMPTY_SNAPSHOT]) {
      expect(resolveTool(registry, name)).toBeUndefined();
      expect(resolveToolset(registry, name)).toBeUndefined();
      expect(resolveCapability(registry, name)).toEqual([]);
    }
  });
});
