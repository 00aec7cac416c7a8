import type { CallManyOptions, CallOutcome, ToolCall } from "../call-many.ts";
import type { CallOptions } from "../call-request.ts";
import { type AnthropicUserMessage, anthropicAnswer } from "./answers/anthropic.ts";
import { type GeminiContent, geminiAnswer } from "./answers/gemini.ts";
import type { AnswerFormat, ModelCall, Reply } from "./answers/model-call.ts";
import {
  type OpenAiFunctionOutput,
  type OpenAiToolMessage,
  openAiAnswer,
  openAiResponsesAnswer,
} from "./answers/openai.ts";
import { errorForModel, unknownTool } from "./error-for-model.ts";
import type { Shape } from "./shapes.ts";
import type { ToolNames } from "./tool-names.ts";

/** A model's API; MCP is not one. */
export type ModelShape = Exclude<Shape, "mcp">;

/** What is appended to a conversation, by shape. */
export interface RepliesOf {
  openai: OpenAiToolMessage;
  "openai-responses": OpenAiFunctionOutput;
  anthropic: AnthropicUserMessage;
  gemini: GeminiContent;
}

export interface RunToolCallsOptions extends Pick<CallOptions, "sessionId" | "timeoutMs"> {
  /** `names` of the tools that the model was given: only these can be called. */
  readonly names: ToolNames;
  /** Names of tools that the agent brought itself and answers itself: their calls are left alone. */
  readonly except?: readonly string[];
  /** How many calls run at once: 1 to 1,000; 8 where unset. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
}

/** What became of the calls in a model's answer. */
export interface ToolCallRun<S extends ModelShape> {
  /** To append to the conversation after the model's own message; empty where the model called nothing. */
  readonly messages: RepliesOf[S][];
  /** In the model's order. */
  readonly calls: readonly FinishedCall[];
}

export interface FinishedCall {
  readonly id: string | undefined;
  /** As the model wrote it. */
  readonly name: string;
  /** The tool's own name; undefined where the model was given no such tool. */
  readonly tool: string | undefined;
  /** Undefined where there is no such tool. */
  readonly outcome: CallOutcome | undefined;
}

/** What runs the calls: a client. */
export interface Calling {
  callMany(calls: readonly ToolCall[], options?: CallManyOptions): Promise<CallOutcome[]>;
}

const FORMATS: { readonly [S in ModelShape]: AnswerFormat<RepliesOf[S]> } = {
  openai: openAiAnswer,
  "openai-responses": openAiResponsesAnswer,
  anthropic: anthropicAnswer,
  gemini: geminiAnswer,
};

/** What the gateway takes as a call's id. */
const CALL_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Runs the calls in a model's answer, side by side, and gives what is sent
 * back to the model: one reply for each call, in its order and under its id,
 * also for calls that failed. Arguments that came as text are sent as the
 * model wrote them; what is wrong with them, the gateway says to the model.
 *
 * @param answer the provider's response, its message, or the list inside of it.
 * @throws ToolgateClientError INVALID_ARGUMENT where the answer is none of this shape, before any call is sent.
 */
export async function runToolCalls<S extends ModelShape>(
  client: Calling,
  shape: S,
  answer: object,
  options: RunToolCallsOptions,
): Promise<ToolCallRun<S>> {
  const { names, except = [], concurrency, signal } = options;
  const format: AnswerFormat<RepliesOf[S]> = FORMATS[shape];
  const calls = format.read(answer).filter(({ name }) => !except.includes(name));
  const known = calls.filter(({ name }) => names.toTool(name) !== undefined);
  const outcomes = await client.callMany(
    known.map((call) => toolCall(call, options)),
    { ...(concurrency === undefined ? {} : { concurrency }), ...(signal === undefined ? {} : { signal }) },
  );
  const byCall = new Map(known.map((call, place) => [call, outcomes[place]]));
  const finished = calls.map((call) => ({ call, outcome: byCall.get(call) }));
  return {
    messages: format.write(finished.map(({ call, outcome }) => replyOf(call, outcome, names))),
    calls: finished.map(({ call: { id, name }, outcome }) => ({ id, name, tool: names.toTool(name), outcome })),
  };
}

function toolCall({ id, name, args }: ModelCall, { names, sessionId, timeoutMs }: RunToolCallsOptions): ToolCall {
  return {
    tool: names.toTool(name) as string,
    args: names.toArguments(name, args),
    options: {
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(id !== undefined && CALL_ID.test(id) ? { callId: id } : {}),
    },
  };
}

function replyOf(call: ModelCall, outcome: CallOutcome | undefined, names: ToolNames): Reply {
  const failed = (json: string): Reply => ({ call, json, isError: true, isCut: false });
  if (outcome === undefined) return failed(unknownTool(call.name, names));
  if (outcome.status !== "success") return failed(errorForModel(outcome, names));
  return { call, json: outcome.dataJson, isError: false, isCut: outcome.meta.truncated };
}
