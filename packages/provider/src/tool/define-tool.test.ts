import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { defineTool, type JsonObject, type JsonSchema, ToolFailure } from "../index.ts";
import type { ToolContext } from "./tool.ts";

const context = { signal: new AbortController().signal } as ToolContext;

function withSchema(schema: z.ZodType | JsonSchema) {
  return defineTool({ name: "t", description: "d", schema, handler: (args) => args });
}

const schemaOf = (schema: z.ZodType | JsonSchema) => JSON.parse(withSchema(schema).definition.inputSchema as string);

const echoing = { name: "t", description: "d", schema: { type: "object" }, handler: (args: unknown) => args };

describe("a definition", () => {
  it("holds what the owner said, and nothing else", () => {
    const tool = defineTool({
      name: "weather_now",
      title: "Weather",
      description: "Says how the weather is",
      capabilities: ["weather"],
      tags: ["outside"],
      owner: "Ann",
      contact: "ann@example.org",
      schema: z.object({ city: z.string() }),
      outputSchema: z.object({ temp: z.number() }),
      annotations: { readOnly: true },
      timeoutMs: 1_500,
      scopes: ["weather.read"],
      handler: () => ({ temp: 1 }),
    });
    expect(tool.definition).toMatchObject({
      name: "weather_now",
      title: "Weather",
      description: "Says how the weather is",
      capabilities: ["weather"],
      tags: ["outside"],
      owner: "Ann",
      contact: "ann@example.org",
      annotations: { readOnly: true },
      timeout: { seconds: 1n, nanos: 500_000_000 },
      scopes: ["weather.read"],
      backend: { case: "provider", value: { check: false } },
    });
    expect(tool.definition.annotations).toEqual({ readOnly: true });
    expect(JSON.parse(tool.definition.inputSchema as string)).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    });
    expect(JSON.parse(tool.definition.outputSchema as string)).toMatchObject({ additionalProperties: false });
  });

  it("says of a tool with a check that there is one", () => {
    const tool = defineTool({ ...echoing, check: () => true });
    expect(tool.definition.backend).toEqual({ case: "provider", value: { check: true } });
  });

  it("types the arguments and the result from Zod", () => {
    defineTool({
      name: "t",
      description: "d",
      schema: z.object({ city: z.string(), days: z.number().default(3), at: z.string().transform((t) => new Date(t)) }),
      outputSchema: z.object({ temp: z.number() }),
      handler(args, { signal }) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; at: Date }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return { temp: 1 };
      },
    });
    defineTool({
      name: "t",
      description: "d",
      schema: { type: "object", properties: {} },
      async handler(args) {
        expectTypeOf(args).toEqualTypeOf<JsonObject>();
        return undefined;
      },
    });
    // @ts-expect-error the handler's result does not fit outputSchema
    defineTool({ name: "t", description: "d", schema: z.object({}), outputSchema: z.string(), handler: () => 1 });
    expect.assertions(0);
  });

  it("takes Zod's input side: defaults are not required, transforms are what goes in", () => {
    const schema = z.object({ days: z.number().default(3), at: z.iso.datetime().transform((text) => new Date(text)) });
    expect(schemaOf(schema)).toMatchObject({
      properties: { days: { type: "number", default: 3 }, at: { type: "string", format: "date-time" } },
      required: ["at"],
    });
  });

  it("takes a recursive schema, a union of objects and Zod's mini form", () => {
    const node: z.ZodType = z.object({
      get children() {
        return z.array(node);
      },
    });
    expect(JSON.stringify(schemaOf(node))).toContain('"$ref"');
    expect(schemaOf(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))).toHaveProperty("anyOf");
    const tool = defineTool({
      name: "t",
      description: "d",
      schema: mini.object({ n: mini.number() }),
      handler: ({ n }) => n + 1,
    });
    expect(JSON.parse(tool.definition.inputSchema as string)).toMatchObject({ required: ["n"] });
  });

  it("passes a JSON Schema on as it is, also of another dialect and with big numbers", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", maxProperties: 2n ** 60n };
    expect(withSchema(schema).definition.inputSchema).toBe(
      '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","maxProperties":1152921504606846976}',
    );
  });
});

describe("a definition that cannot be used", () => {
  it.each([
    [z.object({ when: z.date() }), /schema of the tool "t".*\/properties\/when: Date cannot/],
    [z.object({ a: z.array(z.object({ "x/y": z.bigint() })) }), /\/properties\/a\/items\/properties\/x~1y: BigInt/],
    [
      z.object({ m: z.map(z.string(), z.string()), f: z.custom<string>() }),
      /\/properties\/m: Map.*\/properties\/f: Custom/,
    ],
    [z.string(), /accepts "string" at its top.*z\.object/],
    [{ type: ["array", "null"] }, /accepts \["array","null"\] at its top/],
    [{ type: "object", check: () => true }, /schema of the tool "t" is not JSON\. It at \/check is a function/],
    [[] as never, /must be a Zod schema or a JSON Schema object/],
    [{ _def: {} }, /Zod 3/],
  ])("%#: names the tool and the place", (schema, words) => {
    expect(() => withSchema(schema)).toThrow(words);
  });

  it("says when the output cannot be told", () => {
    const make = () =>
      defineTool({
        name: "t",
        description: "d",
        schema: z.object({}),
        outputSchema: z.string().transform((text) => new Date(text)),
        handler: () => "2026",
      });
    expect(make).toThrow(/outputSchema of the tool "t".*Transforms/);
  });

  it.each([0, -1, Number.NaN, 3_600_001])("a timeout of %d", (timeoutMs) => {
    const make = () => defineTool({ name: "t", description: "d", schema: {}, timeoutMs, handler: () => 1 });
    expect(make).toThrow(/timeoutMs of the tool "t" must be more than 0 and at most 3600000/);
  });

  it("no name, no handler", () => {
    expect(() => defineTool({ name: "", description: "d", schema: {}, handler: () => 1 })).toThrow(/name/);
    expect(() => defineTool({ name: "t", description: "d", schema: {}, handler: 1 as never })).toThrow(/handler/);
  });
});

describe("running", () => {
  it("gives the handler what Zod makes of the arguments", async () => {
    const tool = defineTool({
      name: "t",
      description: "d",
      schema: z.object({ n: z.number().default(3), at: z.string().transform((text) => text.length) }),
      handler: (args) => args,
    });
    expect(await tool.run({ at: "abc", more: true }, context)).toEqual({ n: 3, at: 3 });
  });

  it("names each violation with its path, also of a refinement that only Zod can check", async () => {
    const schema = z
      .object({ from: z.number(), to: z.number(), tags: z.array(z.string()).optional() })
      .refine(({ from, to }) => from <= to, { message: "must not end before it begins", path: ["to"] });
    const failure = (args: JsonObject) =>
      withSchema(schema)
        .run(args, context)
        .catch((error: unknown) => error);
    expect(await failure({ from: "1", to: 2, tags: [1] })).toMatchObject({
      code: "INVALID_ARGUMENT",
      retryable: false,
      message:
        "The arguments do not fit. /from: Invalid input: expected number, received string; " +
        "/tags/0: Invalid input: expected string, received number.",
    });
    expect(await failure({ from: 2, to: 1 })).toMatchObject({ message: expect.stringContaining("/to: must not end") });
  });

  it("waits for a refinement that asks elsewhere", async () => {
    const schema = z.object({ id: z.string().refine(async (id) => id === "known", { message: "is not known" }) });
    await expect(withSchema(schema).run({ id: "x" }, context)).rejects.toThrow("/id: is not known");
    expect(await withSchema(schema).run({ id: "known" }, context)).toEqual({ id: "known" });
  });

  it("bounds how many violations it names", async () => {
    const schema = z.object({ list: z.array(z.string()) });
    const failure = await withSchema(schema)
      .run({ list: Array.from({ length: 1_000 }, () => 1) }, context)
      .catch((error: ToolFailure) => error);
    expect((failure as ToolFailure).message).toMatch(/And 980 more\.$/);
  });

  it("passes arguments of a JSON Schema on: the gateway checked them", async () => {
    expect(await withSchema({ type: "object", required: ["a"] }).run({ b: 2n ** 60n }, context)).toEqual({
      b: 2n ** 60n,
    });
  });

  it("checks a result by Zod, and drops what is not declared", async () => {
    let result: unknown = { temp: 1, secret: "x" };
    const outputSchema = z.object({ temp: z.number() });
    const handler = () => result as { temp: number };
    const tool = defineTool({ name: "t", description: "d", schema: z.object({}), outputSchema, handler });
    expect(await tool.run({}, context)).toEqual({ temp: 1 });
    result = { temp: "warm" };
    const failure = await tool.run({}, context).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolFailure);
    expect(failure).toMatchObject({ code: "RESULT_INVALID", message: expect.stringContaining("/temp: Invalid input") });
  });
});
