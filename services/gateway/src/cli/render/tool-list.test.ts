import type { ListedTool } from "@toolgate/client";
import { describe, expect, it } from "vitest";
import { recordedTerminal } from "../terminal.fixture.ts";
import { toolDetails, toolTable } from "./tool-list.ts";

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
});
