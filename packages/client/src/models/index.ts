export type { AnthropicToolResult, AnthropicUserMessage } from "./answers/anthropic.ts";
export type { GeminiContent, GeminiResponsePart } from "./answers/gemini.ts";
export type { OpenAiFunctionOutput, OpenAiToolMessage } from "./answers/openai.ts";
export type { ModelTool } from "./declare.ts";
export type { GeminiSchema } from "./gemini/schema.ts";
export type { PlainJson } from "./plain-schema.ts";
export {
  type Calling,
  type FinishedCall,
  type ModelShape,
  type RepliesOf,
  type RunToolCallsOptions,
  runToolCalls,
  type ToolCallRun,
} from "./run-tool-calls.ts";
export type {
  AnthropicTool,
  DeclarationsOf,
  GeminiFunction,
  GeminiTools,
  McpAnnotations,
  McpTool,
  ObjectSchema,
  OpenAiResponsesTool,
  OpenAiTool,
  Shape,
} from "./shapes.ts";
export type { ToolNames } from "./tool-names.ts";
export { type DeclaredTools, toolsFor } from "./tools-for.ts";
