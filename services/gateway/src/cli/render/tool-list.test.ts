import type { ListedTool } from "@toolgate/client";
import { describe, expect, it } from "vitest";
import { recordedTerminal } from "../terminal.fixture.ts";
import { toolDetails, toolsetDetails, toolTable } from "./tool-list.ts";

const tool = (name: string, parts: Partial<ListedTool> = {}) =>
  ({
    name,
    toolset: "web",
    description: "",
    health: { state: "healthy", reason: "", checkedAt: undefined },
    execution: "gateway",
    backend: "http:api",
    source: "file a.yaml",
    owner: "",
    contact: "",
    instances: 1,
    capabilities: [],
    tags: [],
    scopes: [],
    revision: "abc",
    ...parts,
  }) as unknown as ListedTool;

const down = { state: "unavailable", reason: "connection refused", checkedAt: undefined } as const;

describe("toolTable", () => {
  it("lines up columns, whatever the script", () => {
    const tools = [
      tool("a", { toolset: "天气", description: "First line.\nSecond." }),
      tool("longer", { health: down }),
    ];
    expect(toolTable(tools, recordedTerminal().out)).toBe(
      [
        "NAME    TOOLSET  HEALTH       DESCRIPTION",
        "a       天气     healthy      First line.",
        "longer  web      unavailable",
        "",
      ].join("\n"),
    );
  });

  it("cuts descriptions to a terminal, and lets none steer it", () => {
    const text = toolTable(
      [tool("a", { description: `\u001b[2J${"x".repeat(80)}` })],
      recordedTerminal({ columns: 40 }).out,
    );
    const line = text.split("\n")[1]?.replaceAll(/<.?[a-z]+>/g, "");
    expect(line).toBe(`a     web      healthy  \ufffd[2J${"x".repeat(11)}…`);
  });

  it("does not cut for a pipe", () => {
    expect(toolTable([tool("a", { description: "x".repeat(500) })], recordedTerminal().out)).toContain("x".repeat(500));
  });
});

describe("toolDetails", () => {
  it("tells where a tool comes from and why it cannot be used, and leaves out what is not known", () => {
    const text = toolDetails(
      [tool("a", { health: down, owner: "team", contact: "t@example.com" })],
      recordedTerminal().out,
    );
    expect(text).toBe(
      [
        "a  unavailable",
        "  reason        connection refused",
        "  toolset       web",
        "  source        file a.yaml",
        "  backend       http:api",
        "  owner         team",
        "  contact       t@example.com",
        "  instances     1",
        "  revision      abc",
        "",
      ].join("\n"),
    );
  });

  it("tells when it was checked, and what last went wrong, in one line", () => {
    const at = new Date("2026-01-31T12:00:00Z");
    const lastError = { during: "call", code: "TOOL_ERROR", message: "first\nsecond", at, tool: "a" } as const;
    const health = { state: "healthy", reason: "", checkedAt: at } as const;
    const text = toolDetails([tool("a", { health, lastError })], recordedTerminal().out);
    expect(text).toContain("\n  checked       2026-01-31T12:00:00.000Z\n");
    expect(text).toContain("\n  last error    2026-01-31T12:00:00.000Z in a call: TOOL_ERROR, first\n");
  });
});

describe("toolsetDetails", () => {
  it("tells how many of its tools can be called, and which one last went wrong", () => {
    const at = new Date("2026-01-31T12:00:00Z");
    const lastError = { during: "check", code: "", message: "no answer", at, tool: "a" } as const;
    const counts = { tools: 3, availableTools: 2, source: "the tool files", aliases: ["w"] };
    const [out, health] = [recordedTerminal().out, { state: "degraded", reason: "1 of 3", checkedAt: at } as const];
    expect(toolsetDetails([{ name: "web", health, lastError, ...counts }], out)).toBe(
      [
        "toolset web  degraded",
        "  reason        1 of 3",
        "  checked       2026-01-31T12:00:00.000Z",
        "  source        the tool files",
        "  aliases       w",
        "  tools         3, of which 2 can be called",
        "  last error    2026-01-31T12:00:00.000Z at its check of a: no answer",
        "",
      ].join("\n"),
    );
  });
});
