import assert from "node:assert/strict";
import { createClient } from "@toolgate/client";
import { runToolCalls, toolsFor } from "@toolgate/client/models";
import { startExampleGateway } from "@toolgate/gateway/example";
import { anthropicModel, openAiModel } from "./scripted-models.ts";

const gateway = await startExampleGateway({ builtin: { filesRoot: import.meta.dirname } });
const client = createClient({ address: gateway.grpc });
const listed = (await client.listTools()).tools.filter(({ name }) => name === "read_file");

/** OpenAI's shape: the answer's message, and one message for each tool call. */
async function openAi(question: string): Promise<string> {
  const { tools, names } = toolsFor("openai", listed);
  const messages: object[] = [{ role: "user", content: question }];
  for (let turn = 0; turn < 5; turn++) {
    const answer = openAiModel(messages, tools);
    messages.push(answer);
    const { messages: replies } = await runToolCalls(client, "openai", answer, { names });
    if (replies.length === 0) return String(answer.content);
    messages.push(...replies);
  }
  throw new Error("the model did not come to an end");
}

/** Anthropic's shape: content blocks, and one user message with all results. */
async function anthropic(question: string): Promise<string> {
  const { tools, names } = toolsFor("anthropic", listed);
  const messages: object[] = [{ role: "user", content: question }];
  for (let turn = 0; turn < 5; turn++) {
    const answer = anthropicModel(messages, tools);
    messages.push(answer);
    const { messages: replies } = await runToolCalls(client, "anthropic", answer, { names });
    if (replies.length === 0) return answer.content.map((block) => ("text" in block ? block.text : "")).join("");
    messages.push(...replies);
  }
  throw new Error("the model did not come to an end");
}

const wanted = "The first line is: # A model calls tools";
assert.equal(await openAi("What is the first line of README.md?"), wanted);
assert.equal(await anthropic("What is the first line of README.md?"), wanted);

client.close();
await gateway.stop();
console.log("agent-loop: ok");
