import { type AnswerFormat, argsOf, fieldsOf, notAnAnswer, replyText, textOf } from "./model-call.ts";

/** What answers one call of a chat completion. */
export interface OpenAiToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** A chat completion, or its message. Only calls of functions are read. */
export const openAiAnswer: AnswerFormat<OpenAiToolMessage> = {
  read(answer) {
    const completion = fieldsOf(answer);
    const choice = Array.isArray(completion.choices) ? fieldsOf(completion.choices[0]).message : answer;
    const message = fieldsOf(choice);
    const calls = message.tool_calls;
    if (Array.isArray(calls)) {
      return calls.map(fieldsOf).flatMap(({ id, function: called }) => {
        const { name, arguments: args } = fieldsOf(called);
        return called === undefined ? [] : [{ id: textOf(id), name: textOf(name), args: argsOf(args) }];
      });
    }
    if ("content" in message || "role" in message) return [];
    throw notAnAnswer("openai", 'a chat completion, or its message with "tool_calls"');
  },
  write: (replies) =>
    replies.map((reply) => ({ role: "tool", tool_call_id: reply.call.id ?? "", content: replyText(reply) })),
};

/** What answers one call of a response. */
export interface OpenAiFunctionOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/** A response, or the items of its output. */
export const openAiResponsesAnswer: AnswerFormat<OpenAiFunctionOutput> = {
  read(answer) {
    const items = Array.isArray(answer) ? answer : fieldsOf(answer).output;
    if (!Array.isArray(items)) throw notAnAnswer("openai-responses", 'a response, or the items of its "output"');
    return items
      .map(fieldsOf)
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ id: textOf(item.call_id), name: textOf(item.name), args: argsOf(item.arguments) }));
  },
  write: (replies) =>
    replies.map((reply) => ({ type: "function_call_output", call_id: reply.call.id ?? "", output: replyText(reply) })),
};
