import type { ClientOptions } from "../index.ts";
import { type Answer, argsText, clientOf, delegated, failed, success } from "../router-client.fixture.ts";
import { type ModelShape, type RunToolCallsOptions, runToolCalls, toolsFor } from "./index.ts";

const tools = ["echo", "weather.query", "memory", "boom"].map((name) => ({ name, inputSchema: {} }));

/** A gateway that echoes, and fails for `boom`. */
export const answer: Answer = (request) => {
  const tool = request.target.value;
  if (tool === "boom") return failed("TOOL_ERROR", { backendAnswer: { status: "500", body: "x".repeat(5_000) } });
  return tool === "memory" ? delegated(argsText(request)) : success(argsText(request));
};

/** An answer of each API that calls `name` with `args` under the id "call_1". */
export const ANSWERS: { readonly [S in ModelShape]: (name: string, args: string) => object } = {
  openai: (name, args) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: args } }],
  }),
  "openai-responses": (name, args) => ({
    output: [{ type: "reasoning" }, { type: "function_call", id: "fc_1", call_id: "call_1", name, arguments: args }],
  }),
  anthropic: (name, args) => ({
    role: "assistant",
    content: [
      { type: "text", text: "…" },
      { type: "tool_use", id: "call_1", name, input: JSON.parse(args) },
    ],
  }),
  gemini: (name, args) => ({
    candidates: [
      {
        content: {
          role: "model",
          parts: [{ text: "…" }, { functionCall: { id: "call_1", name, args: JSON.parse(args) } }],
        },
      },
    ],
  }),
};

export function run<S extends ModelShape>(
  shape: S,
  answered: object,
  {
    gateway = answer,
    client = {},
    ...options
  }: { gateway?: Answer; client?: ClientOptions } & Partial<RunToolCallsOptions> = {},
) {
  return runToolCalls(clientOf(gateway, client), shape, answered, { names: toolsFor(shape, tools).names, ...options });
}
