import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool, registryAfter } from "../../test/builders.ts";
import type { HealthState } from "../tool/availability.ts";
import type { CheckSpec } from "../tool/tool.ts";
import type { Command } from "./commands.ts";
import { isToolUsable, toolHealth, toolsetHealth, usesCheck } from "./health.ts";
import { checkKey, type Snapshot, type ToolEntry, type ToolsetEntry } from "./snapshot.ts";

const own: CheckSpec = { kind: "http", settings: { url: "http://own.example/" } };
const shared: CheckSpec = { kind: "http", settings: { url: "http://shared.example/" } };
const register = aRegister({
  toolsets: [
    anOffer({ name: "web", check: shared, tools: [aTool({ name: "own", check: own }), aTool({ name: "shared" })] }),
    anOffer({ name: "plain", tools: [aTool({ name: "plain" }), aTool({ name: "off", enabled: false })] }),
  ],
});
const report = (check: CheckSpec, state: HealthState): Command => ({
  type: "setHealth",
  checkKey: checkKey(check),
  health: { state, reason: state === "healthy" ? "" : `it is ${state}`, checkedAt: 5 },
});
const tool = (snapshot: Snapshot, name: string) => toolHealth(snapshot, snapshot.tools.get(name) as ToolEntry);
const toolset = (snapshot: Snapshot, name: string) =>
  toolsetHealth(snapshot, snapshot.toolsets.get(name) as ToolsetEntry);

describe("toolHealth", () => {
  it("is unknown, and usable, before the first probe has ended", () => {
    const snapshot = registryAfter(register);
    expect(tool(snapshot, "own")).toEqual({ state: "unknown", reason: "not checked yet" });
    expect(isToolUsable(snapshot, "own")).toBe(true);
  });

  it("asks the tool's own check, or its toolset's where it has none", () => {
    const snapshot = registryAfter(register, report(shared, "unavailable"), report(own, "healthy"));
    expect(tool(snapshot, "own")).toEqual({ state: "healthy", reason: "", checkedAt: 5 });
    expect(tool(snapshot, "shared")).toEqual({ state: "unavailable", reason: "it is unavailable", checkedAt: 5 });
    expect(isToolUsable(snapshot, "shared")).toBe(false);
  });

  it("is healthy without any check", () => {
    expect(tool(registryAfter(register), "plain")).toEqual({ state: "healthy", reason: "" });
  });

  it("says who switched a tool off", () => {
    const off: Command = { type: "setToolEnabled", tool: "plain", enabled: false };
    const allOff: Command = { type: "setToolsetEnabled", toolset: "web", enabled: false };
    const snapshot = registryAfter(register, off, allOff, report(own, "healthy"));
    expect(tool(snapshot, "plain").reason).toBe("switched off by an operator");
    expect(tool(snapshot, "own").reason).toBe("switched off by an operator");
    expect(tool(snapshot, "off").reason).toBe("switched off in its definition (enabled: false)");
    expect(["plain", "own", "off", "no-such"].map((name) => isToolUsable(snapshot, name))).toEqual(
      Array(4).fill(false),
    );
  });
});

describe("toolsetHealth", () => {
  it("is what its own check says, unless that is healthy", () => {
    for (const state of ["unavailable", "degraded"] as const) {
      const snapshot = registryAfter(register, report(shared, state), report(own, "healthy"));
      expect(toolset(snapshot, "web")).toMatchObject({ state, reason: `it is ${state}` });
    }
    expect(toolset(registryAfter(register), "web").state).toBe("unknown");
  });

  it("is degraded where some tools cannot be used, and names them", () => {
    const snapshot = registryAfter(register, report(shared, "healthy"), report(own, "unavailable"));
    expect(toolset(snapshot, "web")).toEqual({
      state: "degraded",
      reason: "1 of 2 tools cannot be used: own",
      checkedAt: 5,
    });
  });

  it("is unavailable where no tool can be used", () => {
    const off: Command = { type: "setToolEnabled", tool: "plain", enabled: false };
    expect(toolset(registryAfter(register, off), "plain")).toEqual({
      state: "unavailable",
      reason: "2 of 2 tools cannot be used: off, plain",
    });
  });

  it("names at most three of the tools that cannot be used", () => {
    const tools = ["a", "b", "c", "d", "e"].map((name) => aTool({ name, enabled: name === "e" }));
    const snapshot = registryAfter(aRegister({ toolsets: [anOffer({ tools })] }));
    expect(toolset(snapshot, "demo").reason).toBe("4 of 5 tools cannot be used: a, b, c, …");
  });

  it("is unavailable when an operator switched it off", () => {
    const snapshot = registryAfter(register, { type: "setToolsetEnabled", toolset: "plain", enabled: false });
    expect(toolset(snapshot, "plain")).toEqual({ state: "unavailable", reason: "switched off by an operator" });
  });
});

describe("checkKey and usesCheck", () => {
  it("takes equal checks for one, whatever the order of their settings", () => {
    const a = { kind: "http", settings: { url: "u", n: 2n ** 64n } };
    const b = { kind: "http", settings: { n: 2n ** 64n, url: "u" } };
    expect(checkKey(a)).toBe(checkKey(b));
    expect(checkKey(a)).not.toBe(checkKey({ ...a, kind: "env" }));
  });

  it("finds checks of tools and of toolsets", () => {
    const snapshot = registryAfter(register);
    expect([own, shared].map((check) => usesCheck(snapshot, checkKey(check)))).toEqual([true, true]);
    expect(usesCheck(snapshot, checkKey({ kind: "env", settings: {} }))).toBe(false);
  });
});
