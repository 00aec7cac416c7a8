import { aTool } from "@toolgate/testkit/builders";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../test/calling.ts";
import {
  type BuiltinRun,
  BuiltinToolError,
  builtinToolKind,
  createBuiltinBackend,
  createDocsTools,
  createFileTools,
  handlersOf,
} from "./index.ts";

const tool = (handler: string) =>
  aTool({ annotations: {}, backend: { kind: "builtin", name: "test", settings: { handler } } });
const backendOf = (handlers: Record<string, BuiltinRun>) => createBuiltinBackend(new Map(Object.entries(handlers)));

describe("the builtin backend", () => {
  it("names the handlers there are when a tool asks for another", () => {
    const backend = backendOf({ search: async () => null, read_file: async () => null });
    expect(backend.inspect(tool("search"))).toEqual([]);
    expect(backend.inspect(tool("serach"))).toEqual([
      {
        path: "/backend/settings/handler",
        message: 'Unknown builtin handler: there is no "serach". Expected one of "read_file", "search".',
      },
    ]);
    expect(backendOf({}).inspect(aTool())).toHaveLength(1);
  });

  it("takes names such as __proto__ for no handler", () => {
    expect(backendOf({}).inspect(tool("__proto__"))).toHaveLength(1);
    expect(backendOf({}).inspect(tool("constructor"))).toHaveLength(1);
  });

  it("tells a tool's own error with its code", async () => {
    const backend = backendOf({
      f: async () => {
        throw new BuiltinToolError("NOT_FOUND", "There is no such file.");
      },
    });
    const error = await errorOf(backend, tool("f"));
    expect(error).toMatchObject({ code: "TOOL_ERROR", message: "There is no such file." });
    expect(error.details.backendAnswer).toEqual({ status: "NOT_FOUND", body: "There is no such file." });
  });

  it.each<[string, BuiltinRun]>([
    ["in a promise", async () => JSON.parse("/etc/secret")],
    [
      "at once",
      () => {
        throw new Error("/etc/secret");
      },
    ],
  ])("tells nothing of a defect %s", async (_when, run) => {
    const error = await errorOf(backendOf({ f: run }), tool("f"));
    expect(error.code).toBe("INTERNAL");
    expect(error.message).not.toContain("secret");
    expect(String(error.details.cause)).toContain("secret");
  });
});

describe("a builtin tool in a tool file", () => {
  const context = { toolName: "web_search" };

  it("is found by the type of the article's first tool", () => {
    expect(builtinToolKind.toBackend({ type: "search" }, context)).toEqual({
      kind: "builtin",
      name: "search",
      settings: { handler: "search" },
    });
  });

  it("is found by its handler first, and by its own name last", () => {
    expect(builtinToolKind.toBackend({ type: "search", handler: "docs_search" }, context).name).toBe("docs_search");
    expect(builtinToolKind.toBackend({ type: "builtin" }, { toolName: "read_file" }).name).toBe("read_file");
  });
});

describe("the toolsets", () => {
  it("offer tools that the backend can run, and always a handler for searching", () => {
    const toolsets = [createFileTools({ root: "/nowhere" }), createDocsTools({ root: "/nowhere" })];
    const backend = createBuiltinBackend(handlersOf(toolsets));
    const definitions = toolsets.flatMap(({ tools }) => tools.map(({ definition }) => definition));
    expect(definitions.map(({ name }) => name)).toEqual(["read_file", "write_file", "patch", "docs_search"]);
    for (const definition of definitions) expect(backend.inspect(definition)).toEqual([]);
    expect([...handlersOf([createDocsTools({})]).keys()]).toEqual(["search"]);
  });

  it("say in words that there is no folder to search", async () => {
    const backend = createBuiltinBackend(handlersOf([createDocsTools({})]));
    const error = await errorOf(backend, tool("search"), { query: "x" });
    expect(error).toMatchObject({ code: "TOOL_ERROR", message: expect.stringContaining("no folder of documents") });
  });

  it("describe arguments and results by strict schemas of the newest dialect", () => {
    const toolsets = [createFileTools({ root: "/nowhere" }), createDocsTools({ root: "/nowhere" })];
    for (const { definition } of toolsets.flatMap(({ tools }) => tools)) {
      for (const schema of [definition.inputSchema, definition.outputSchema]) {
        expect(schema?.value).toMatchObject({
          $schema: "https://json-schema.org/draft/2020-12/schema",
          additionalProperties: false,
          required: expect.any(Array),
        });
        expect(JSON.parse(schema?.text ?? "")).toEqual(schema?.value);
      }
      expect(definition.annotations.readOnly).toBeDefined();
    }
  });
});
