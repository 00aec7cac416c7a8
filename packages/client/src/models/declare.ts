import type { JsonObject, JsonValue } from "../json.ts";
import { isObject, own } from "../schema/schema.ts";
import { geminiSchema } from "./gemini/convert.ts";
import { plainJson, withArrayItems } from "./plain-schema.ts";
import type {
  AnthropicTool,
  GeminiFunction,
  McpAnnotations,
  McpTool,
  ObjectSchema,
  OpenAiResponsesTool,
  OpenAiTool,
} from "./shapes.ts";

/** What a declaration is made from; a `ListedTool` is one. */
export interface ModelTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments, parsed. */
  readonly inputSchema: JsonValue;
  readonly outputSchema?: JsonValue | undefined;
  /** Only its annotations are read. */
  readonly message?: { readonly annotations?: ToolHints | undefined };
}

interface ToolHints {
  readonly readOnly?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly openWorld?: boolean | undefined;
}

/** A tool under the names that the model is given, with a schema whose root is an object. */
export interface SafeTool {
  readonly tool: ModelTool;
  readonly name: string;
  readonly schema: JsonObject;
}

/** OpenAI refuses a longer description of a function. */
const MAX_OPENAI_DESCRIPTION = 1_024;

export function openAiTool({ tool, name, schema }: SafeTool): OpenAiTool {
  return { type: "function", function: { name, ...openAiDescription(tool), parameters: jsonSchema(schema) } };
}

export function openAiResponsesTool({ tool, name, schema }: SafeTool): OpenAiResponsesTool {
  return { type: "function", name, ...openAiDescription(tool), parameters: jsonSchema(schema), strict: false };
}

export function anthropicTool({ tool, name, schema }: SafeTool): AnthropicTool {
  return { name, ...descriptionOf(tool), input_schema: jsonSchema(schema) };
}

export function geminiFunction({ tool, name, schema }: SafeTool): GeminiFunction {
  const parameters = geminiSchema(schema);
  const description = tool.description || tool.title || name;
  return { name, description, ...(parameters.properties === undefined ? {} : { parameters }) };
}

/** Unlike the others it keeps combinators: MCP takes any schema whose root is an object. */
export function mcpTool({ tool, name }: SafeTool): McpTool {
  const hints = annotationsOf(tool);
  return {
    name,
    ...(tool.title ? { title: tool.title } : {}),
    ...descriptionOf(tool),
    inputSchema: mcpSchema(tool.inputSchema),
    // Clients refuse the whole list where the root of one is no object.
    ...(isObjectSchema(tool.outputSchema) ? { outputSchema: mcpSchema(tool.outputSchema) } : {}),
    ...(Object.keys(hints).length === 0 ? {} : { annotations: hints }),
  };
}

function mcpSchema(schema: JsonValue | undefined): ObjectSchema {
  const root = isObject(schema) ? schema : {};
  return plainJson(isObjectSchema(root) ? root : { ...root, type: "object" }) as ObjectSchema;
}

function isObjectSchema(schema: JsonValue | undefined): boolean {
  return isObject(schema) && own(schema, "type") === "object";
}

function annotationsOf({ message }: ModelTool): McpAnnotations {
  const { readOnly, idempotent, destructive, openWorld } = message?.annotations ?? {};
  return {
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
}

function jsonSchema(schema: JsonObject): ObjectSchema {
  return plainJson(withArrayItems(schema)) as ObjectSchema;
}

function descriptionOf({ description }: ModelTool): { description?: string } {
  return description ? { description } : {};
}

function openAiDescription({ description = "" }: ModelTool): { description?: string } {
  return description === "" ? {} : { description: cut(description, MAX_OPENAI_DESCRIPTION) };
}

/** At most so many UTF-16 code units, the last one an ellipsis where something was cut off. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Half of a surrogate pair would not be a text any more.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
