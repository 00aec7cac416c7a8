import {
  DEFAULT_MAX_RESPONSE_BYTES,
  type JsonObject,
  type JsonValue,
  type SchemaDocument,
  type ToolAnnotations,
  type ToolDefinition,
} from "@toolgate/core";

export interface BuiltinContext {
  /** Aborts when the attempt's time is up or the caller goes away. */
  readonly signal: AbortSignal;
}

/** Runs a tool inside the gateway's process. Arguments fit the tool's schema; they must not be changed. */
export type BuiltinRun = (args: JsonObject, context: BuiltinContext) => Promise<JsonValue>;

export interface BuiltinTool {
  readonly definition: ToolDefinition;
  readonly run: BuiltinRun;
}

/** Tools that belong together, and what else tool files may name as a handler. */
export interface BuiltinToolset {
  readonly toolset: string;
  readonly tools: readonly BuiltinTool[];
  /** Handlers without a tool of their own, by name. */
  readonly handlers?: Readonly<Record<string, BuiltinRun>>;
}

/**
 * The error that a tool answers with, as TOOL_ERROR. The message is public:
 * no absolute path, no secret.
 */
export class BuiltinToolError extends Error {
  override readonly name = "BuiltinToolError";
  /** In capitals, such as "NOT_FOUND"; what a tool's `retryable_errors` may name. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface BuiltinSketch {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Groups tools in the envelope and in metrics. */
  readonly backend: string;
  readonly capabilities?: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly timeoutMs: number;
  readonly run: BuiltinRun;
}

/** A builtin tool from what is special about it. */
export function builtinTool(sketch: BuiltinSketch): BuiltinTool {
  const { name, title, description, backend, capabilities = [], annotations, input, output, timeoutMs, run } = sketch;
  return {
    definition: {
      name,
      title,
      description,
      capabilities: [...capabilities].sort(),
      tags: ["builtin"],
      owner: "toolgate",
      contact: "",
      inputSchema: schemaOf(input),
      outputSchema: schemaOf(output),
      annotations,
      execution: "gateway",
      backend: { kind: "builtin", name: backend, settings: { handler: name } },
      timeoutMs,
      response: { format: "auto", maxBytes: DEFAULT_MAX_RESPONSE_BYTES },
      scopes: [],
      enabled: true,
    },
    run,
  };
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

function schemaOf(parts: JsonObject): SchemaDocument {
  const value = { $schema: DIALECT, type: "object", ...parts, additionalProperties: false };
  return { text: JSON.stringify(value), value };
}
