import { type AnswerFormat, argsOf, fieldsOf, notAnAnswer, replyText, textOf } from "./model-call.ts";

/** Answers all calls of a message at once, as the API demands. */
export interface AnthropicUserMessage {
  role: "user";
  content: AnthropicToolResult[];
}

export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/** A message, or its content. */
export const anthropicAnswer: AnswerFormat<AnthropicUserMessage> = {
  read(answer) {
    const content = Array.isArray(answer) ? answer : fieldsOf(answer).content;
    if (typeof content === "string") return [];
    if (!Array.isArray(content)) throw notAnAnswer("anthropic", 'a message, or the blocks of its "content"');
    return content
      .map(fieldsOf)
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: textOf(id), name: textOf(name), args: argsOf(input) }));
  },
  write(replies) {
    const content = replies.map((reply): AnthropicToolResult => {
      const id = reply.call.id ?? "";
      const result = { type: "tool_result", tool_use_id: id, content: replyText(reply) } as const;
      return reply.isError ? { ...result, is_error: true } : result;
    });
    return content.length === 0 ? [] : [{ role: "user", content }];
  },
};
