import { Code, ConnectError } from "@connectrpc/connect";
import type { CallRequest } from "@toolgate/contract";
import { describe, expect, it } from "vitest";
import { failureOf } from "../failure-of.fixture.ts";
import type { ClientOptions } from "../index.ts";
import { type Answer, argsText, clientOf, delegated, failed, success } from "../router-client.fixture.ts";
import { type ModelShape, type RunToolCallsOptions, runToolCalls, toolsFor } from "./index.ts";

const tools = ["echo", "weather.query", "memory", "boom"].map((name) => ({ name, inputSchema: {} }));

/** A gateway that echoes, and fails for `boom`. */
const answer: Answer = (request) => {
  const tool = request.target.value;
  if (tool === "boom") return failed("TOOL_ERROR", { backendAnswer: { status: "500", body: "x".repeat(5_000) } });
  return tool === "memory" ? delegated(argsText(request)) : success(argsText(request));
};

/** An answer of each API that calls `name` with `args` under the id "call_1". */
const ANSWERS: { readonly [S in ModelShape]: (name: string, args: string) => object } = {
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

function run<S extends ModelShape>(
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

describe("what goes to the gateway", () => {
  it.each(['{"a": 1,}', '{"path":"a.txt","content":"hel', '{ "price": 5.20, "id": 9007199254740993 }', '[{"a":1}]'])(
    "is the text that the model wrote: %j",
    async (text) => {
      const { messages } = await run("openai", ANSWERS.openai("echo", text), {
        gateway: (request) => success(JSON.stringify(argsText(request))),
      });
      expect(messages[0]?.content).toBe(text);
    },
  );

  it.each(["", " \n", null, undefined])(
    "mal-01 (openai/openai-agents-js#664): is an empty object for %j",
    async (args) => {
      const answered = { tool_calls: [{ id: "c", function: { name: "echo", arguments: args } }] };
      expect((await run("openai", answered)).messages[0]?.content).toBe("{}");
    },
  );

  it("is refused in words where it cannot be sent at all", async () => {
    const { messages } = await run("openai", ANSWERS.openai("echo", '{"a":"\ud800"}'));
    expect(JSON.parse(messages[0]?.content ?? "").error).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("half of a surrogate pair"),
    });
  });

  it.each([
    ["call_1", "call_1"],
    ["x".repeat(129), ""],
    ["with space", ""],
  ])("has the id %s of the provider where it can", async (id, callId) => {
    let seen: CallRequest | undefined;
    const gateway: Answer = (request) => {
      seen = request;
      return success("1");
    };
    const answered = { tool_calls: [{ id, function: { name: "echo", arguments: "{}" } }] };
    const { messages } = await run("openai", answered, { gateway, sessionId: "conversation 7" });
    expect(seen).toMatchObject({ callId, sessionId: "conversation 7" });
    expect(messages[0]?.tool_call_id).toBe(id);
  });

  it("is nothing where the model names a tool that it was not given", async () => {
    const gateway: Answer = () => {
      throw new Error("must not be reached");
    };
    // The gateway may well have it: what was filtered out is not to be reached.
    const { messages, calls } = await run("openai", ANSWERS.openai("weather.query", "{}"), { gateway });
    expect(JSON.parse(messages[0]?.content ?? "")).toEqual({
      error: { code: "TOOL_NOT_FOUND", message: 'There is no tool "weather.query". Did you mean "weather_query"?' },
    });
    expect(calls).toEqual([{ id: "call_1", name: "weather.query", tool: undefined, outcome: undefined }]);
  });

  it("is nothing for tools that the agent answers itself", async () => {
    const answered = {
      tool_calls: ["think", "echo"].map((name) => ({ id: name, function: { name, arguments: "{}" } })),
    };
    const { messages } = await run("openai", answered, { except: ["think"] });
    expect(messages.map((message) => message.tool_call_id)).toEqual(["echo"]);
  });

  it("has the tool's own names of arguments", async () => {
    const schema = {
      type: "object",
      properties: { $filter: { type: "string" }, top: { type: "integer" } },
      required: ["$filter"],
    };
    const { tools: declared, names } = toolsFor("anthropic", [{ name: "find", inputSchema: schema }]);
    expect(declared[0]?.input_schema).toMatchObject({
      properties: { _filter: { title: "$filter" } },
      required: ["_filter"],
    });
    const answered = ANSWERS.anthropic("find", '{"_filter":"a","top":1}');
    const { calls } = await run("anthropic", answered, { names });
    expect(calls[0]?.outcome).toMatchObject({ data: { $filter: "a", top: 1 } });
    expect(names.toArguments("find", '{"_filter":9007199254740993}')).toBe('{"$filter":9007199254740993}');
    expect(names.toArguments("find", '{"_filter":')).toBe('{"_filter":');
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
