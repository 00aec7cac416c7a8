import {
  type Backend,
  type DefinitionProblem,
  type JsonObject,
  MAX_TIMEOUT_MS,
  type PathLanguage,
  type SchemaCompiler,
  type Tool,
  type ToolDefinition,
} from "@toolgate/core";
import { aSchema } from "@toolgate/testkit/builders";
import { scriptedBackend } from "@toolgate/testkit/scripted-backend";
import { describe, expect, it } from "vitest";
import { aDefinition } from "../test/offers.ts";
import { admissionRules, type Refusal } from "./admission.ts";

interface World {
  readonly schemaProblems?: readonly DefinitionProblem[];
  readonly pathProblem?: string;
  readonly backends?: readonly Backend[];
}

function refusalOf(parts: Partial<Tool>, world?: World): Refusal | undefined {
  return refusalOfDefinition(aDefinition(parts), world);
}

function refusalOfDefinition(definition: ToolDefinition, world: World = {}): Refusal | undefined {
  const { schemaProblems = [], pathProblem, backends = [scriptedBackend()] } = world;
  const schemas: SchemaCompiler = {
    inspect: () => schemaProblems,
    validate: () => [],
    fillDefaults: (_schema, args) => args,
  };
  const paths: PathLanguage = { inspect: () => pathProblem, select: () => undefined };
  const rules = admissionRules({
    schemas,
    paths,
    backends: new Map(backends.map((backend) => [backend.kind, backend])),
  });
  for (const rule of rules) {
    const refusal = rule(definition);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

const batch = { param: "ids", maxItems: 10, windowMs: 5, results: "" };
const idsOf = (ids: JsonObject) => aSchema({ type: "object", properties: { ids } });

const many = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);

describe("admission", () => {
  it("lets a batch be of a parameter that is a list, and of nothing else", () => {
    expect(refusalOf({ batch, inputSchema: idsOf({ type: "array" }) })).toBeUndefined();
    expect(refusalOf({ batch, inputSchema: idsOf({}) })).toBeUndefined();
    expect(refusalOf({ batch, inputSchema: idsOf({ type: "string" }) })).toEqual({
      reason: "INVALID_SCHEMA",
      message: 'batch at /param: "ids" must be a parameter that is a list, and is of type "string".',
    });
    for (const inputSchema of [aSchema({ type: "object" }), aSchema(true)]) {
      expect(refusalOf({ batch, inputSchema })?.message).toContain("is no parameter of the tool");
    }
    expect(refusalOf({ batch: { ...batch, param: "__proto__" }, inputSchema: idsOf({}) })?.message).toContain("is no");
  });

  it("lets in what is well defined, up to its bounds", () => {
    expect(refusalOf({})).toBeUndefined();
    const full = {
      name: "a".repeat(128),
      title: "t".repeat(256),
      description: "d".repeat(64 * 1024),
      capabilities: many(32),
      tags: [...many(31), "t".repeat(128)],
      timeoutMs: MAX_TIMEOUT_MS,
      inputSchema: { text: "s".repeat(256 * 1024), value: {} },
    };
    expect(refusalOf(full)).toBeUndefined();
  });

  it.each([
    ["an empty name", { name: "" }, '"" is not a legal name'],
    ["a space", { name: "web search" }, '"web search"'],
    ["a slash", { name: "../etc/passwd" }, "not a legal name"],
    ["too many characters", { name: "x".repeat(129) }, `"${"x".repeat(64)}"`],
    ["a capability", { capabilities: ["ok", "sear ch"] }, '"sear ch" is not a legal capability or scope'],
    ["a scope", { scopes: ["a:b"] }, '"a:b" is not a legal capability or scope'],
  ])("refuses a name that is not legal: %s", (_what, parts, shown) => {
    const refusal = refusalOf(parts);
    expect(refusal?.reason).toBe("AMBIGUOUS_NAME");
    expect(refusal?.message).toContain(shown);
    expect(refusal?.message).toContain("use 1 to 128 characters");
  });

  it.each([
    ["title", { title: "t".repeat(257) }, "title is 257; at most 256"],
    ["description", { description: "d".repeat(64 * 1024 + 1) }, "in bytes is 65537; at most 65536"],
    ["description, in bytes and not characters", { description: "語".repeat(30_000) }, "in bytes is 90000"],
    [
      "input schema",
      { inputSchema: { text: "é".repeat(128 * 1024 + 1), value: {} } },
      "input schema in bytes is 262146",
    ],
    ["output schema", { outputSchema: { text: " ".repeat(256 * 1024 + 1), value: {} } }, "output schema in bytes"],
    ["list of capabilities", { capabilities: many(33) }, "capabilities is 33; at most 32"],
    ["list of tags", { tags: many(33) }, "tags is 33; at most 32"],
    ["tag", { tags: ["t".repeat(129)] }, "longest tag is 129; at most 128"],
  ])("refuses what is too large: %s", (_what, parts, message) => {
    const refusal = refusalOf(parts);
    expect(refusal?.reason).toBe("TOO_LARGE");
    expect(refusal?.message).toContain(message);
  });

  it.each([0, -1, MAX_TIMEOUT_MS + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses a timeout of %d ms",
    (timeoutMs) => {
      expect(refusalOf({ timeoutMs })).toMatchObject({
        reason: "INVALID_SCHEMA",
        message: expect.stringContaining("1h"),
      });
    },
  );

  it("says where a schema is wrong, and how many more places there are", () => {
    const schemaProblems = [
      { path: "/properties/n/type", message: 'unknown type "integr"' },
      { path: "/required", message: "not a list" },
    ];
    expect(refusalOf({ inputSchema: aSchema({}) }, { schemaProblems })).toEqual({
      reason: "INVALID_SCHEMA",
      message: 'input_schema at /properties/n/type: unknown type "integr" (and 1 more)',
    });
    expect(
      refusalOf({ outputSchema: aSchema({}) }, { schemaProblems: [{ path: "", message: "no JSON" }] })?.message,
    ).toBe("output_schema: no JSON");
  });

  it.each([{ type: "array" }, { type: ["string", "null"] }])(
    "refuses an input schema that takes no object: %j",
    (schema) => {
      expect(refusalOf({ inputSchema: aSchema(schema) })).toMatchObject({
        reason: "INVALID_SCHEMA",
        message: expect.stringContaining('the type must be "object"'),
      });
    },
  );

  it.each([true, {}, { type: "object" }, { type: ["null", "object"] }, { anyOf: [{ required: ["a"] }] }])(
    "takes the input schema %j",
    (schema) => {
      expect(refusalOf({ inputSchema: aSchema(schema as JsonObject) })).toBeUndefined();
    },
  );

  it("does not fail on a schema whose text could not be read: its compiler says what is wrong", () => {
    const unread = { text: "{", value: null as never };
    expect(refusalOf({ inputSchema: unread, outputSchema: unread })).toBeUndefined();
  });

  it("says which path of a mapping is wrong", () => {
    const response = { format: "auto", maxBytes: 1, mapping: { title: "$[" } } as const;
    expect(refusalOf({ response }, { pathProblem: 'expected "]" at 2' })).toEqual({
      reason: "INVALID_SCHEMA",
      message: 'response mapping of "title": expected "]" at 2',
    });
  });

  it("asks the backend of the tool's kind about its settings", () => {
    const problems = [{ path: "/endpoint", message: "is not an absolute URL" }];
    expect(refusalOf({}, { backends: [scriptedBackend({ problems })] })).toEqual({
      reason: "INVALID_SCHEMA",
      message: "backend at /endpoint: is not an absolute URL",
    });
  });

  it.each(["nats", "toString", "__proto__"])("names the kinds that there are when %s is none of them", (kind) => {
    const backends = [scriptedBackend(), scriptedBackend({ kind: "builtin" })];
    expect(refusalOf({ backend: { kind, name: "x", settings: {} } }, { backends })?.message).toBe(
      `This gateway has no backend of kind "${kind}". Known kinds: http, builtin.`,
    );
  });

  it("wants a backend for what the gateway runs, and none for what the agent runs", () => {
    const { backend: _none, ...bare } = aDefinition({ execution: "gateway" });
    expect(refusalOfDefinition(bare)?.message).toBe("The backend is missing. Known kinds: http.");
    expect(refusalOfDefinition({ ...bare, execution: "client" })).toBeUndefined();
    expect(refusalOf({ execution: "client" })?.message).toContain("has no backend");
  });
});
