import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { failureOf } from "../failure-of.fixture.ts";
import { type Answer, argsText, failed, success } from "../router-client.fixture.ts";
import type { ModelShape } from "./index.ts";
import { ANSWERS, answer, run } from "./run-tool-calls.fixture.ts";

describe("what goes back to the model", () => {
  it.each<[ModelShape, object]>([
    ["openai", { role: "tool", tool_call_id: "call_1", content: '{"city":"Oslo"}' }],
    ["openai-responses", { type: "function_call_output", call_id: "call_1", output: '{"city":"Oslo"}' }],
    [
      "anthropic",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: '{"city":"Oslo"}' }] },
    ],
    [
      "gemini",
      {
        role: "user",
        parts: [{ functionResponse: { id: "call_1", name: "weather_query", response: { output: { city: "Oslo" } } } }],
      },
    ],
  ])("%s: a result", async (shape, message) => {
    const { messages, calls } = await run(shape, ANSWERS[shape]("weather_query", '{"city":"Oslo"}'));
    expect(messages).toEqual([message]);
    expect(calls).toMatchObject([
      { id: "call_1", name: "weather_query", tool: "weather.query", outcome: { status: "success" } },
    ]);
  });

  it.each<ModelShape>(["openai", "openai-responses", "anthropic", "gemini"])("%s: an error", async (shape) => {
    const violations = [{ path: "/n", expected: "integer", got: '"x"' }];
    const gateway = () => failed("INVALID_ARGUMENT", { violations });
    const { messages } = await run(shape, ANSWERS[shape]("echo", "{}"), { gateway });
    const error = { code: "INVALID_ARGUMENT", message: "It is INVALID_ARGUMENT.", violations };
    const content = JSON.stringify({ error });
    expect(messages).toEqual([
      {
        openai: { role: "tool", tool_call_id: "call_1", content },
        "openai-responses": { type: "function_call_output", call_id: "call_1", output: content },
        anthropic: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "call_1", content, is_error: true }],
        },
        gemini: { role: "user", parts: [{ functionResponse: { id: "call_1", name: "echo", response: { error } } }] },
      }[shape],
    ]);
  });

  it.each<[ModelShape, object]>([
    ["openai", { role: "assistant", content: "Hello" }],
    ["openai", { choices: [{ message: { role: "assistant", content: "Hello", tool_calls: null } }] }],
    ["openai-responses", { output: [{ type: "message" }] }],
    ["openai-responses", []],
    ["anthropic", { role: "assistant", content: "Hello" }],
    ["anthropic", { content: [{ type: "text", text: "Hello" }] }],
    ["gemini", { candidates: [{ content: { parts: [{ text: "Hello" }] } }] }],
    ["gemini", { candidates: [{ finishReason: "SAFETY" }] }],
    ["gemini", { role: "model" }],
  ])("%s: nothing where the model calls nothing: %j", async (shape, answered) => {
    expect(await run(shape, answered)).toEqual({ messages: [], calls: [] });
  });

  it.each<[ModelShape, object]>([
    ["openai", { output: [] }],
    ["openai-responses", { choices: [] }],
    ["anthropic", {}],
    ["gemini", { choices: [] }],
  ])("%s: an error where the answer is one of another shape: %j", async (shape, answered) => {
    const error = await failureOf(run(shape, answered));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", mayHaveRun: false });
    expect(error.message).toContain(`no answer of the shape "${shape}"`);
  });

  it("is a text without quotes where the result is a text", async () => {
    const { messages } = await run("openai", ANSWERS.openai("echo", '"a\\nb"'));
    expect(messages[0]?.content).toBe("a\nb");
  });

  it("says that a result was cut", async () => {
    const gateway = () => ({ ...success("[1]"), meta: { truncated: true } });
    const [openai, gemini] = await Promise.all([
      run("openai", ANSWERS.openai("echo", "{}"), { gateway }),
      run("gemini", ANSWERS.gemini("echo", "{}"), { gateway }),
    ]);
    expect(openai.messages[0]?.content).toBe("[1]\n(The result was cut here.)");
    expect(gemini.messages[0]?.parts[0]?.functionResponse.response).toEqual({ output: [1], is_cut: true });
  });

  it("keeps every digit of a result, where it must as text", async () => {
    const digits = '{"id":1917043659912705296}';
    const openai = await run("openai", ANSWERS.openai("echo", digits));
    expect(openai.messages[0]?.content).toBe(digits);
    const gemini = await run("gemini", ANSWERS.gemini("echo", "{}"), { gateway: () => success(digits) });
    expect(gemini.messages[0]?.parts[0]?.functionResponse.response).toEqual({ output: { id: "1917043659912705296" } });
  });

  it("cuts what a backend said", async () => {
    const { messages } = await run("openai", ANSWERS.openai("boom", "{}"));
    expect(JSON.parse(messages[0]?.content ?? "").error.answer).toEqual({
      status: "500",
      body: `${"x".repeat(1_000)}…`,
    });
  });
});

describe("many calls", () => {
  const many = (names: readonly string[]) => ({
    tool_calls: names.map((name, place) => ({
      id: `call_${place}`,
      type: "function",
      function: { name, arguments: `{"place":${place}}` },
    })),
  });

  it("keep their order and ids, and one that fails does not lose the others", async () => {
    const gateway: Answer = (request, context) => {
      if (request.callId === "call_2") throw new ConnectError("10.0.0.1 is gone", Code.Internal);
      return answer(request, context);
    };
    const { messages } = await run("openai", many(["echo", "boom", "echo", "nothing", "echo"]), { gateway });
    expect(messages.map((message) => message.tool_call_id)).toEqual(["call_0", "call_1", "call_2", "call_3", "call_4"]);
    const contents = messages.map(({ content }) => JSON.parse(content));
    expect(contents).toMatchObject([
      { place: 0 },
      { error: { code: "TOOL_ERROR" } },
      { error: { code: "INTERNAL", may_have_run: true } },
      { error: { code: "TOOL_NOT_FOUND" } },
      { place: 4 },
    ]);
    expect(JSON.stringify(contents)).not.toContain("10.0.0.1");
  });

  it("run side by side, but not all at once", async () => {
    let [running, most] = [0, 0];
    const gateway: Answer = async (request) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return success(argsText(request));
    };
    await run("openai", many(Array.from({ length: 12 }, () => "echo")), { gateway, concurrency: 3 });
    expect(most).toBe(3);
  });

  it("are all answered where the signal ends them", async () => {
    const controller = new AbortController();
    const gateway: Answer = (request) => {
      if (request.callId === "call_0") return success("1");
      controller.abort();
      return new Promise(() => {});
    };
    const options = { gateway, concurrency: 1, signal: controller.signal };
    const { messages } = await run("openai", many(["echo", "echo", "echo"]), options);
    expect(messages[0]?.content).toBe("1");
    expect(messages.slice(1).map(({ content }) => JSON.parse(content).error)).toEqual([
      { code: "CANCELLED", message: "The call was cancelled.", may_have_run: true },
      { code: "CANCELLED", message: "The call was cancelled." },
    ]);
  });
});

describe("tools that the agent runs", () => {
  it("answer through their handlers", async () => {
    const handlers = { memory: async (args: object) => ({ saved: args }) };
    const { messages } = await run("openai", ANSWERS.openai("memory", '{"note":"x"}'), { client: { handlers } });
    expect(messages[0]?.content).toBe('{"saved":{"note":"x"}}');
  });

  it("are not available without one", async () => {
    const { messages, calls } = await run("openai", ANSWERS.openai("memory", '{"note":"x"}'));
    expect(JSON.parse(messages[0]?.content ?? "").error.code).toBe("TOOL_UNAVAILABLE");
    expect(calls[0]?.outcome).toMatchObject({ status: "delegated", data: { note: "x" } });
  });
});
