import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { type ModelTool, type Shape, toolsFor } from "./index.ts";
import { LEGAL } from "./legality.fixture.ts";
import { realTools } from "./real-tools.fixture.ts";

const SHAPES = ["openai", "openai-responses", "anthropic", "gemini", "mcp"] as const;

/** Declares the tools, and checks all that must hold whatever they are. */
function declared<S extends Shape>(shape: S, tools: readonly ModelTool[]) {
  const result = toolsFor(shape, tools);
  const names = LEGAL[shape](result.tools);
  expect(new Set(names).size).toBe(names.length);
  expect(names.map((name) => result.names.toTool(name))).toEqual(tools.map(({ name }) => name));
  expect(tools.map(({ name }) => result.names.toSafe(name))).toEqual(names);
  expect(result.names.safe).toEqual(names);
  const backwards = toolsFor(shape, tools.toReversed());
  expect(tools.map(({ name }) => backwards.names.toSafe(name))).toEqual(names);
  // Providers' libraries write what they are given with JSON.stringify.
  expect(JSON.parse(JSON.stringify(result.tools))).toEqual(result.tools);
  return result;
}

const tool = (name: string, inputSchema: JsonObject = { type: "object" }): ModelTool => ({ name, inputSchema });

describe.each(SHAPES)("%s", (shape) => {
  it.each([...realTools()])("declares the real tools of %s", (_file, tools) => {
    declared(shape, tools);
  });

  it("gives every tool of all sources a name of its own", () => {
    const all = [...realTools()].flatMap(([file, tools]) =>
      tools.map((one) => ({ ...one, name: `${file.replace(".json", "")}.${one.name}` })),
    );
    expect(all.length).toBeGreaterThan(350);
    declared(shape, all);
  });

  it("gives a legal name for every name in public bug reports", () => {
    const file = readFileSync(new URL("./fixtures/names.json", import.meta.url), "utf8");
    const { names } = JSON.parse(file) as { names: { name: string; fitsModelPattern: boolean }[] };
    const tools = names.map(({ name }) => tool(name));
    const { names: given } = declared(shape, tools);
    for (const { name, fitsModelPattern } of names) {
      if (fitsModelPattern && /^[A-Za-z_]/.test(name)) expect(given.toSafe(name)).toBe(name);
    }
    expect(given.toTool("valueOf")).toBeUndefined();
    expect(given.toSafe("hasOwnProperty")).toBeUndefined();
  });

  it("schema-16 (mcp-use/mcp-use#1885): names equal in their first 64 characters stay two", () => {
    const long = "listAllTheRepositoriesOfAnOrganizationThatAreVisibleToTheCurrentUser";
    const { names } = declared(shape, [tool(`${long}ByPage`), tool(`${long}ByCursor`)]);
    const [first, second] = names.safe as [string, string];
    expect(first).not.toBe(second);
    expect([first, second].map((name) => name.startsWith("listAllTheRepositoriesOfAn"))).toEqual([true, true]);
    // Also where the other one is not there this time.
    expect(toolsFor(shape, [tool(`${long}ByCursor`)]).names.toSafe(`${long}ByCursor`)).toBe(second);
  });

  it("schema-17 (anthropics/claude-code#95504): a choice at the root takes no list down", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    const { tools } = declared(shape, [tool("choice", schema), tool("other")]);
    if (shape === "mcp") expect(tools[0]).toMatchObject({ inputSchema: schema });
    else expect(JSON.stringify(tools)).toContain('"a":{"type":"');
  });

  it("is legal for any names", () => {
    const names = fc.uniqueArray(fc.string({ unit: "binary", maxLength: 80 }), { maxLength: 20 });
    fc.assert(
      fc.property(names, (all) => {
        declared(
          shape,
          all.map((name) => tool(name)),
        );
      }),
    );
  });
});
