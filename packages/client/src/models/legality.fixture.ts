import { expect } from "vitest";
import type { DeclarationsOf, GeminiSchema, ObjectSchema, Shape } from "./index.ts";

/** What each provider refuses, as far as it is documented or was reported: a refused tool takes the whole request with it. */
export const LEGAL: { readonly [S in Shape]: (tools: DeclarationsOf[S]) => readonly string[] } = {
  openai: (tools) =>
    tools.map((tool) => {
      expect(Object.keys(tool)).toEqual(["type", "function"]);
      return openAi(tool.function);
    }),
  "openai-responses": (tools) =>
    tools.map((tool) => {
      expect(tool).toMatchObject({ type: "function", strict: false });
      return openAi(tool);
    }),
  anthropic: (tools) =>
    tools.map(({ name, description, input_schema: schema }) => {
      expect(description).not.toBe("");
      objectRoot(name, schema);
      for (const key of Object.keys(schema.properties ?? {})) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
      return named(name);
    }),
  gemini: (tools) =>
    tools.flatMap(({ functionDeclarations }) =>
      functionDeclarations.map(({ name, description, parameters }) => {
        expect(name).toMatch(/^[A-Za-z_]/);
        expect(description).not.toBe("");
        if (parameters !== undefined) {
          expect(parameters.type).toBe("OBJECT");
          expect(Object.keys(parameters.properties ?? {}).length).toBeGreaterThan(0);
          for (const key of Object.keys(parameters.properties ?? {})) expect(key).toMatch(/^[A-Za-z_]\w{0,63}$/);
          gemini(`${name}`, parameters);
        }
        return named(name);
      }),
    ),
  mcp: (tools) =>
    tools.map(({ name, inputSchema, outputSchema }) => {
      expect(inputSchema.type).toBe("object");
      if (outputSchema !== undefined) expect(outputSchema.type).toBe("object");
      return named(name);
    }),
};

function named(name: string): string {
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  return name;
}

function openAi(declared: { name: string; description?: string; parameters: ObjectSchema }): string {
  if (declared.description !== undefined) {
    expect(declared.description.length).toBeLessThanOrEqual(1024);
    expect(declared.description.isWellFormed()).toBe(true);
    expect(declared.description).not.toBe("");
  }
  objectRoot(declared.name, declared.parameters);
  arraysHaveItems(declared.parameters, declared.name);
  return named(declared.name);
}

function objectRoot(name: string, schema: ObjectSchema): void {
  expect(schema.type, name).toBe("object");
  expect(schema.properties, name).toBeTypeOf("object");
  for (const keyword of ["anyOf", "oneOf", "allOf", "enum", "not", "$ref"])
    expect(schema, name).not.toHaveProperty(keyword);
}

function arraysHaveItems(value: unknown, at: string): void {
  if (typeof value !== "object" || value === null) return;
  const { type, items } = value as { type?: unknown; items?: unknown };
  if (type === "array") {
    expect(items, at).toBeDefined();
    expect(Array.isArray(items), at).toBe(false);
  }
  for (const [key, part] of Object.entries(value)) {
    if (!["default", "enum", "const", "examples"].includes(key)) arraysHaveItems(part, `${at}/${key}`);
  }
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  ARRAY: ["items", "minItems", "maxItems"],
  BOOLEAN: [],
  INTEGER: ["format", "minimum", "maximum"],
  NUMBER: ["format", "minimum", "maximum"],
  OBJECT: ["properties", "required"],
  STRING: ["enum", "format", "minLength", "maxLength", "pattern"],
};

function gemini(at: string, schema: GeminiSchema): void {
  if (schema.anyOf !== undefined) {
    expect(Object.keys(schema), at).toEqual(["anyOf"]);
    expect(schema.anyOf.length, at).toBeGreaterThan(1);
    for (const [place, part] of schema.anyOf.entries()) gemini(`${at}/anyOf/${place}`, part);
    return;
  }
  const allowed = KEYS[schema.type ?? ""];
  expect(allowed, `${at}: ${JSON.stringify(schema)}`).toBeDefined();
  for (const key of Object.keys(schema)) {
    expect(["type", "description", "nullable", ...(allowed ?? [])], at).toContain(key);
  }
  if (schema.enum !== undefined) {
    expect(schema.enum.length, at).toBeGreaterThan(0);
    for (const value of schema.enum) expect(value !== "" && typeof value === "string", at).toBe(true);
  }
  geminiParts(at, schema);
}

function geminiParts(at: string, { type, items, properties, required }: GeminiSchema): void {
  if (type === "ARRAY") {
    expect(items, at).toBeDefined();
    gemini(`${at}/items`, items as GeminiSchema);
  }
  if (properties !== undefined) expect(Object.keys(properties).length, at).toBeGreaterThan(0);
  for (const name of required ?? []) expect(Object.keys(properties ?? {}), at).toContain(name);
  for (const [name, part] of Object.entries(properties ?? {})) gemini(`${at}/${name}`, part);
}
