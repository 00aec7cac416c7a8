import { type Command, checkKey, resolveToolset } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool } from "../builders.ts";
import type { CurrentRegistry } from "../registry-store-suite.ts";
import { outcomesOf } from "./registration.ts";

export function describeToolsets(current: CurrentRegistry): void {
  const apply = (command: Command) => current().store.apply(command);
  const snapshot = () => current().store.snapshot();
  const deregister = (by: string) => apply({ type: "deregister", leaseId: `${by}-1`, registrantId: by, tools: [] });

  describe("toolsets", () => {
    it("moves a tool to another toolset of its owner, and drops the one that is empty then", async () => {
      await apply(aRegister({ toolsets: [anOffer({ name: "old", aliases: ["short"], tools: ["a"] })] }));
      const result = await apply(aRegister({ toolsets: [anOffer({ name: "new", aliases: ["short"], tools: ["a"] })] }));
      expect(outcomesOf(result)).toEqual(["updated"]);
      expect([...snapshot().toolsets.keys()]).toEqual(["new"]);
      expect(resolveToolset(snapshot(), "short")?.name).toBe("new");
    });

    it("lets a toolset that exists beat an alias", async () => {
      await apply(aRegister({ toolsets: [anOffer({ name: "mcp-github", aliases: ["github"], tools: ["a"] })] }));
      expect(resolveToolset(snapshot(), "github")?.name).toBe("mcp-github");
      await apply(aRegister({ by: "bob", toolsets: [anOffer({ name: "github", tools: ["b"] })] }));
      expect(resolveToolset(snapshot(), "github")?.name).toBe("github");
      await deregister("bob");
      expect(resolveToolset(snapshot(), "github")?.name).toBe("mcp-github");
    });

    it("gives an alias to the first that claims it, and frees it with its toolset", async () => {
      await apply(aRegister({ toolsets: [anOffer({ name: "first", aliases: ["x"], tools: ["a"] })] }));
      const second = aRegister({
        by: "bob",
        toolsets: [anOffer({ name: "second", aliases: ["y", "x"], tools: ["b"] })],
      });
      await apply(second);
      expect(snapshot().toolsets.get("second")?.aliases).toEqual(["y"]);
      expect(snapshot().aliases.get("x")).toBe("first");
      await deregister("alice");
      expect(snapshot().aliases.has("x")).toBe(false);
      await apply(second);
      expect(snapshot().toolsets.get("second")?.aliases).toEqual(["x", "y"]);
      expect(snapshot().aliases.get("x")).toBe("second");
    });

    it("takes all aliases of a toolset that is offered in two parts, and says unchanged to the same again", async () => {
      const toolsets = [anOffer({ aliases: ["x"], tools: ["a"] }), anOffer({ aliases: ["y"], tools: ["b"] })];
      await apply(aRegister({ toolsets }));
      expect(snapshot().toolsets.get("demo")).toMatchObject({ aliases: ["x", "y"], tools: ["a", "b"] });
      expect(outcomesOf(await apply(aRegister({ toolsets })))).toEqual(["unchanged", "unchanged"]);
      expect(snapshot().generation).toBe(1);
    });

    it("drops aliases that are not offered any more", async () => {
      await apply(aRegister({ toolsets: [anOffer({ aliases: ["x", "y"] })] }));
      await apply(aRegister({ toolsets: [anOffer({ aliases: ["y"] })] }));
      expect([...snapshot().aliases]).toEqual([["y", "demo"]]);
      expect(snapshot().generation).toBe(2);
    });
  });

  describe("health", () => {
    const check = { kind: "http", settings: { url: "http://demo.example/", n: 12345678901234567890n } };
    const key = checkKey(check);
    const offer = anOffer({ check, tools: [aTool({ check })] });
    const report = (state: "healthy" | "unavailable", checkedAt: number) =>
      apply({
        type: "setHealth",
        checkKey: key,
        health: { state, reason: state === "healthy" ? "" : "down", checkedAt },
      });

    it("counts a generation when a state changes, and none when it is confirmed", async () => {
      await apply(aRegister({ toolsets: [offer] }));
      await report("healthy", 1);
      expect(snapshot().generation).toBe(2);
      await report("healthy", 2);
      expect(snapshot().generation).toBe(2);
      expect(snapshot().health.get(key)).toEqual({ state: "healthy", reason: "", checkedAt: 2 });
      await report("unavailable", 3);
      expect(snapshot().generation).toBe(3);
    });

    it("keeps the answer of a check while something asks it, and drops it after", async () => {
      await apply(aRegister({ toolsets: [offer] }));
      await report("healthy", 1);
      await apply({ type: "dropHealth", checkKey: key });
      expect(snapshot().health.has(key)).toBe(true);
      await deregister("alice");
      const { generation } = snapshot();
      await apply({ type: "dropHealth", checkKey: key });
      expect(snapshot().health.has(key)).toBe(false);
      expect(snapshot().generation).toBe(generation);
    });

    it("counts no generation for a check that nothing asks", async () => {
      await report("unavailable", 1);
      expect(snapshot().generation).toBe(0);
    });
  });

  describe("switches", () => {
    const tool = (enabled: boolean): Command => ({ type: "setToolEnabled", tool: "echo", enabled });
    const toolset = (enabled: boolean): Command => ({ type: "setToolsetEnabled", toolset: "demo", enabled });

    it.each([
      ["tool", tool, () => snapshot().disabledTools.has("echo")],
      ["toolset", toolset, () => snapshot().disabledToolsets.has("demo")],
    ] as const)("switches a %s off and on", async (_what, command, isOff) => {
      expect(await apply(command(false))).toMatchObject({ known: false });
      await apply(aRegister());
      expect(await apply(command(false))).toMatchObject({ known: true });
      expect([isOff(), snapshot().generation]).toEqual([true, 2]);
      await apply(command(false));
      expect(snapshot().generation).toBe(2);
      await apply(command(true));
      expect([isOff(), snapshot().generation]).toEqual([false, 3]);
    });

    it("stays off while the owner is away, and can be switched on meanwhile", async () => {
      await apply(aRegister());
      await apply(tool(false));
      await deregister("alice");
      await apply(aRegister());
      expect(snapshot().disabledTools.has("echo")).toBe(true);
      await deregister("alice");
      expect(await apply(tool(true))).toMatchObject({ known: true });
      expect(snapshot().disabledTools.has("echo")).toBe(false);
    });
  });
}
