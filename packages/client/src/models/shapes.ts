import type { GeminiSchema } from "./gemini/schema.ts";
import type { PlainJson } from "./plain-schema.ts";

/** A JSON Schema whose root is `type: "object"`. */
export interface ObjectSchema {
  type: "object";
  properties?: Record<string, PlainJson>;
  required?: string[];
  [keyword: string]: PlainJson | undefined;
}

/** A tool of OpenAI's chat completions. */
export interface OpenAiTool {
  type: "function";
  function: { name: string; description?: string; parameters: ObjectSchema };
}

/** A tool of OpenAI's responses. */
export interface OpenAiResponsesTool {
  type: "function";
  name: string;
  description?: string;
  parameters: ObjectSchema;
  /** The API's own default changes what a schema means. */
  strict: false;
}

/** A tool of Anthropic's messages. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ObjectSchema;
}

/** Gemini's tools: one list of all functions. */
export interface GeminiTools {
  functionDeclarations: GeminiFunction[];
}

export interface GeminiFunction {
  name: string;
  description: string;
  /** Left out where there are no arguments. */
  parameters?: GeminiSchema;
}

/** A tool as MCP lists it. */
export interface McpTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
  annotations?: McpAnnotations;
}

export interface McpAnnotations {
  readOnlyHint?: boolean;
  idempotentHint?: boolean;
  destructiveHint?: boolean;
  openWorldHint?: boolean;
}

/** What goes into the field `tools` of a request, by shape. */
export interface DeclarationsOf {
  openai: OpenAiTool[];
  "openai-responses": OpenAiResponsesTool[];
  anthropic: AnthropicTool[];
  gemini: GeminiTools[];
  mcp: McpTool[];
}

/** A model's API, or MCP. */
export type Shape = keyof DeclarationsOf;
