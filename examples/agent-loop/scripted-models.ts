import assert from "node:assert/strict";

/**
 * Models that follow a script: first they leave out an argument, then they
 * read what the gateway says and mend it, then they tell what they have read.
 */

interface OpenAiMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export function openAiModel(
  messages: readonly object[],
  tools: readonly { readonly function: { readonly name: string } }[],
): OpenAiMessage {
  assert.equal(tools[0]?.function.name, "read_file");
  const heard = messages.at(-1) as { readonly role: string; readonly content: string };
  const call = (id: string, args: object): OpenAiMessage => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify(args) } }],
  });
  if (heard.role === "user") return call("call_1", { file: "README.md" });
  return next(
    heard.content,
    () => call("call_2", { path: "README.md" }),
    (content) => ({ role: "assistant", content }),
  );
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

interface AnthropicMessage {
  readonly role: "assistant";
  readonly content: readonly Block[];
}

export function anthropicModel(
  messages: readonly object[],
  tools: readonly { readonly name: string }[],
): AnthropicMessage {
  assert.equal(tools[0]?.name, "read_file");
  const { content } = messages.at(-1) as { readonly content: string | readonly { readonly content: unknown }[] };
  const call = (id: string, input: object): AnthropicMessage => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name: "read_file", input }],
  });
  if (typeof content === "string") return call("toolu_1", { file: "README.md" });
  const result = content[0]?.content;
  const heard = typeof result === "string" ? result : ((result as { text: string }[])[0]?.text ?? "");
  return next(
    heard,
    () => call("toolu_2", { path: "README.md" }),
    (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
  );
}

/** What a tool's answer leads to: another try when it is an error, else the end. */
function next<T>(heard: string, mend: () => T, tell: (text: string) => T): T {
  const result = JSON.parse(heard) as { error?: { code: string; violations: { path: string }[] }; content?: string };
  if (result.error !== undefined) {
    assert.equal(result.error.code, "INVALID_ARGUMENT");
    assert(result.error.violations.some(({ path }) => path === "/path"));
    return mend();
  }
  return tell(`The first line is: ${result.content?.split("\n")[0]}`);
}
