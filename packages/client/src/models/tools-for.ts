import {
  anthropicTool,
  geminiFunction,
  type ModelTool,
  mcpTool,
  openAiResponsesTool,
  openAiTool,
  type SafeTool,
} from "./declare.ts";
import { objectRoot } from "./object-root.ts";
import { type SafeArguments, safeArguments } from "./safe-arguments.ts";
import { type NameRule, safeNames } from "./safe-names.ts";
import type { DeclarationsOf, Shape } from "./shapes.ts";
import { type ToolNames, toolNames } from "./tool-names.ts";

/** Tools as a model is told of them. */
export interface DeclaredTools<S extends Shape = Shape> {
  readonly shape: S;
  /** For the field `tools` of a request. */
  readonly tools: DeclarationsOf[S];
  /** The way back from what the model writes. */
  readonly names: ToolNames;
}

/** What all providers take: OpenAI's rule, which is the narrowest. */
const TOOL_NAME: NameRule = { illegal: /[^A-Za-z0-9_-]/, letterFirst: false, maxLength: 64 };
const TOOL_NAMES: Readonly<Record<Shape, NameRule>> = {
  openai: TOOL_NAME,
  "openai-responses": TOOL_NAME,
  anthropic: TOOL_NAME,
  gemini: { ...TOOL_NAME, letterFirst: true },
  mcp: TOOL_NAME,
};
/** Providers that do not take every name of an argument. */
const ARGUMENT_NAMES: Partial<Record<Shape, NameRule>> = {
  anthropic: { illegal: /[^A-Za-z0-9_.-]/, letterFirst: false, maxLength: 64 },
  gemini: { illegal: /[^A-Za-z0-9_]/, letterFirst: true, maxLength: 64 },
};

const DECLARE: { readonly [S in Shape]: (tools: readonly SafeTool[]) => DeclarationsOf[S] } = {
  openai: (tools) => tools.map(openAiTool),
  "openai-responses": (tools) => tools.map(openAiResponsesTool),
  anthropic: (tools) => tools.map(anthropicTool),
  gemini: (tools) => (tools.length === 0 ? [] : [{ functionDeclarations: tools.map(geminiFunction) }]),
  mcp: (tools) => tools.map(mcpTool),
};

/**
 * Tools as a model's API wants them declared, in their order. Names are legal,
 * unique, the same for the same set of tools, and can be read back. Schemas
 * are as near to the tools' own as the API allows; where they say less, the
 * gateway still checks arguments by the real one. How many tools a request may
 * hold is for the caller to mind: filter the list.
 */
export function toolsFor<S extends Shape>(shape: S, tools: readonly ModelTool[]): DeclaredTools<S> {
  const distinct = [...new Map(tools.map((tool) => [tool.name, tool])).values()];
  const names = safeNames(
    distinct.map(({ name }) => name),
    TOOL_NAMES[shape],
  );
  const safe = distinct.map((tool) => ({ tool, name: names.get(tool.name) as string, ...argumentsOf(tool, shape) }));
  return {
    shape,
    tools: DECLARE[shape](safe),
    names: toolNames(safe.map(({ tool, name, renamed }) => ({ tool: tool.name, safe: name, renamed }))),
  };
}

function argumentsOf({ inputSchema }: ModelTool, shape: Shape): SafeArguments {
  const schema = objectRoot(inputSchema);
  const rule = ARGUMENT_NAMES[shape];
  return rule === undefined ? { schema, renamed: new Map() } : safeArguments(schema, rule);
}
