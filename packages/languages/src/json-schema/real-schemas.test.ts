import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { JsonObject, SchemaDocument } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { createSchemaCompiler } from "./index.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const schemas = createSchemaCompiler();

function document(value: JsonObject | boolean): SchemaDocument {
  return { text: JSON.stringify(value), value };
}

interface ListedTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

describe.each(readdirSync(join(fixtures, "mcp-tools")))("the real tools of %s", (file) => {
  const { tools } = JSON.parse(readFileSync(join(fixtures, "mcp-tools", file), "utf8")) as { tools: ListedTool[] };

  it("have schemas that are accepted, compile, and check", { timeout: 60_000 }, () => {
    expect(tools.length).toBeGreaterThan(0);
    for (const { name, inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema]) {
        if (schema === undefined) continue;
        expect({ name, problems: schemas.inspect(document(schema)) }).toEqual({ name, problems: [] });
        expect(schemas.validate(document(schema), "not an object").length, name).toBeGreaterThan(0);
      }
    }
  });
});

describe("sloppy declarations", () => {
  const lines = readFileSync(join(fixtures, "bfcl-tools.jsonl"), "utf8").trim().split("\n");
  const declared = lines.map((line) => JSON.parse(line) as { name: string; originalParameters: JsonObject });

  it.each(declared)("$name is accepted, or refused naming the place and what was meant", ({ originalParameters }) => {
    const problems = schemas.inspect(document(originalParameters));
    for (const { path, message } of problems) {
      expect(path).toMatch(/^\//);
      expect(message).toMatch(/is not a JSON Schema type; (did you mean ".+"\?|leave "type" out)|^expected .+, got .+/);
    }
    // "dict" is no type, and is never taken for "no check".
    if (originalParameters.type === "dict") expect(problems.map(({ path }) => path)).toContain("/type");
  });
});

/** What zod 4 (MIT) writes for its text formats, where more than plain RE2 is in it. */
const ZOD_PATTERNS: readonly JsonObject[] = [
  {
    format: "hostname",
    pattern:
      "^(?=.{1,253}\\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$",
  },
  {
    format: "email",
    pattern: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
  },
  {
    format: "duration",
    pattern: "^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?)$",
  },
  { format: "emoji", pattern: "^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$" },
];

describe("text formats of zod", () => {
  it.each(ZOD_PATTERNS)("$format is accepted", (format) => {
    expect(schemas.inspect(document({ type: "string", ...format }))).toEqual([]);
    expect(schemas.validate(document({ type: "string", ...format }), "..nothing like it..")).not.toEqual([]);
  });
});

describe("public bug reports", () => {
  it("schema-01 (modelcontextprotocol/typescript-sdk#2337): each schema is checked by its own dialect", () => {
    const old = document({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      definitions: {
        pair: { type: "array", items: [{ type: "string" }, { type: "integer" }], additionalItems: false },
      },
      properties: { pair: { $ref: "#/definitions/pair" } },
    });
    const today = document({
      type: "object",
      $defs: { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false } },
      properties: { pair: { $ref: "#/$defs/pair" } },
    });
    for (const schema of [old, today]) {
      expect(schemas.inspect(schema)).toEqual([]);
      expect(schemas.validate(schema, { pair: ["a", 1] })).toEqual([]);
      expect(schemas.validate(schema, { pair: [1, "a"] }).map(({ path }) => path)).toEqual(["/pair/0", "/pair/1"]);
      expect(schemas.validate(schema, { pair: ["a", 1, 2] })).toHaveLength(1);
    }
  });

  it("schema-02 (anomalyco/opencode#21592): a type that does not exist is named", () => {
    expect(schemas.inspect(document({ type: "strnig" }))).toEqual([
      { path: "/type", message: expect.stringContaining('"strnig" is not a JSON Schema type') },
    ]);
  });

  it("schema-04 (MCPJam/inspector#1422): unknown keywords are accepted", () => {
    const schema = document({
      type: "object",
      "x-fastmcp-wrap-result": true,
      properties: { result: { type: "integer" } },
    });
    expect(schemas.inspect(schema)).toEqual([]);
    expect(schemas.validate(schema, { result: "1" })).toHaveLength(1);
  });

  it("schema-05 (ayunis-core/ayunis-core#994): draft-04's exclusiveMinimum is refused by its place", () => {
    expect(schemas.inspect(document({ properties: { n: { minimum: 0, exclusiveMinimum: true } } }))).toEqual([
      {
        path: "/properties/n/exclusiveMinimum",
        message: expect.stringMatching(/^expected number, got boolean true; draft-04/),
      },
    ]);
  });

  it("schema-07 (PrefectHQ/fastmcp#1206): schemas that refer to each other are accepted and checked", () => {
    const schema = document({
      $ref: "#/$defs/a",
      $defs: {
        a: { type: "object", properties: { b: { type: "array", items: { $ref: "#/$defs/b" } } } },
        b: { allOf: [{ type: "object" }, { properties: { a: { $ref: "#/$defs/a" } } }] },
      },
    });
    expect(schemas.inspect(schema)).toEqual([]);
    expect(schemas.validate(schema, { b: [{ a: { b: [] } }] })).toEqual([]);
    expect(schemas.validate(schema, { b: [{ a: { b: [3] } }] }).map(({ path }) => path)).toEqual(["/b/0/a/b/0"]);
  });

  it("schema-08 (PrefectHQ/fastmcp#3242): a schema that contains itself in memory is refused, without falling over", () => {
    const circular: JsonObject = { type: "object", properties: {} };
    (circular.properties as JsonObject).child = circular;
    expect(schemas.inspect({ text: "{}", value: circular })).toEqual([
      { path: "", message: "the schema is nested more than 64 deep" },
    ]);
  });

  it("schema-17 (anthropics/claude-code#95504): a choice at the root is checked", () => {
    const schema = document({ type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] });
    expect(schemas.inspect(schema)).toEqual([]);
    expect(schemas.validate(schema, { b: 1 })).toEqual([]);
    expect(schemas.validate(schema, {})).toEqual([
      { path: "", expected: "object with a or object with b", got: "an empty object" },
    ]);
  });

  it("schema-19 (conformance json-schema-ref-no-deref): nothing is ever fetched", async () => {
    let hits = 0;
    const server = createServer((_request, response) => {
      hits += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.json`;
    const problems = schemas.inspect(document({ properties: { x: { $ref: url } } }));
    await new Promise((resolve) => server.close(resolve));
    expect(problems).toEqual([
      { path: "/properties/x/$ref", message: expect.stringContaining("nothing is ever fetched") },
    ]);
    expect(hits).toBe(0);
  });
});
