import type { CallRequest } from "@toolgate/contract";
import { describe, expect, it } from "vitest";
import { type Answer, argsText, success } from "../router-client.fixture.ts";
import { toolsFor } from "./index.ts";
import { ANSWERS, run } from "./run-tool-calls.fixture.ts";

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
