import { create } from "@bufbuild/protobuf";
import { ListToolsResponseSchema } from "@toolgate/contract";
import {
  type Data,
  ERROR_CODES,
  type ErrorCode,
  fail,
  type JsonObject,
  ok,
  parseJson,
  type Snapshot,
  type ToolEntry,
  ToolgateError,
  type ToolsetEntry,
} from "@toolgate/core";
import { aCall, aSchema, aTool } from "@toolgate/testkit/builders";
import { aSnapshot } from "@toolgate/testkit/calls";
import { describe, expect, it } from "vitest";
import { envelopeToMessage } from "../convert/envelope.ts";
import { toolsetToMessage, toolToMessage } from "../convert/tool.ts";
import { DOOR_ERRORS, DoorError, type DoorErrorCode } from "../door-error.ts";
import { doorErrorToJson, envelopeToJson, httpStatusOf, retryAfterOf, toolListToJson, toolsetToJson } from "./json.ts";

const call = aCall({ callId: "c" });
const ending = { call, entry: undefined, now: 1 };
const success = (data: Data) => envelopeToMessage(ok({ kind: "success", data }, ending), "text");
const failure = (error: ToolgateError) => envelopeToMessage(fail(error, ending), "text");

describe("envelopeToJson", () => {
  it("has the shape of the contract, with every field of meta", () => {
    expect(JSON.parse(envelopeToJson(success({ value: { a: 1 } })))).toEqual({
      status: "success",
      tool: "echo",
      data: { a: 1 },
      meta: {
        call_id: "c",
        latency_ms: 1,
        queue_ms: 0,
        backend_ms: 0,
        cached: false,
        attempts: 0,
        toolset: "",
        backend: "",
        warnings: [],
        truncated: false,
        limits: [],
      },
    });
  });

  it("http-08 (anthropics/claude-code#78762): holds the result digit for digit, as it was written", () => {
    const text = '{ "Id": 1917043659912705296, "x": 1.0 }';
    expect(envelopeToJson(success({ value: parseJson(text), text }))).toContain(`"data":${text},"meta"`);
  });

  it.each([["null"], ['"text"'], ["[]"], ["0"], ['{"__proto__":1}'], ['{"a":"\\u2028</script>"}']])(
    "is valid JSON around the result %s",
    (text) => {
      const json = envelopeToJson(success({ value: parseJson(text), text }));
      expect(Object.keys(JSON.parse(json))).toEqual(["status", "tool", "data", "meta"]);
    },
  );

  it("says an error, and no data", () => {
    const error = new ToolgateError("INVALID_ARGUMENT", "wrong", {
      violations: [{ path: "/a", expected: "b", got: "c" }],
      nearNames: ["near"],
    });
    expect(JSON.parse(envelopeToJson(failure(error)))).toMatchObject({
      status: "error",
      error: {
        code: "INVALID_ARGUMENT",
        class: "argument",
        message: "wrong",
        retryable: false,
        violations: [{ path: "/a", expected: "b", got: "c" }],
        near_names: ["near"],
      },
    });
    expect(envelopeToJson(failure(error))).not.toMatch(/"data"|retry_after_ms|backend_answer/);
  });
});

describe("the status of an answer", () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("is the table's for %s", (code) => {
    expect(httpStatusOf(failure(new ToolgateError(code, "x")))).toBe(ERROR_CODES[code].http);
  });

  it("is 200 where there is no error, also for what the agent runs", () => {
    expect(httpStatusOf(success({ value: 1 }))).toBe(200);
    expect(httpStatusOf(envelopeToMessage(ok({ kind: "delegated", data: { value: {} } }, ending), "text"))).toBe(200);
  });

  it.each([
    [0, "1"],
    [1, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [5_200, "6"],
    [undefined, undefined],
  ])("asks to retry after whole seconds, rounded up: %s ms", (ms, seconds) => {
    const details = ms === undefined ? {} : { retryAfterMs: ms };
    expect(retryAfterOf(failure(new ToolgateError("RATE_LIMITED", "x", details)))).toBe(seconds);
  });
});

describe("lists as JSON", () => {
  const tool = aTool({
    inputSchema: { text: '{"type":"object","properties":{"n":{"maximum":12345678901234567890}}}', value: {} },
    outputSchema: aSchema(true),
    execution: "client",
  });
  const snapshot: Snapshot = aSnapshot([tool, aTool({ name: "plain" })]);
  const message = (name: string) => toolToMessage(snapshot, snapshot.tools.get(name) as ToolEntry);
  const toolset = toolsetToMessage(snapshot, snapshot.toolsets.get("demo") as ToolsetEntry);

  it("shows schemas as JSON, digit for digit, and words for enums", () => {
    const tools = [message("echo"), message("plain")];
    const text = toolListToJson(
      create(ListToolsResponseSchema, { tools, toolsets: [toolset], generation: "7", total: 2 }),
    );
    expect(text).toContain('"maximum":12345678901234567890');
    const list = JSON.parse(text) as { tools: JsonObject[] };
    expect(list).toMatchObject({ generation: "7", total: 2, not_modified: false, next_page_token: "", missing: [] });
    expect(list.tools[0]).toMatchObject({
      name: "echo",
      execution: "client",
      output_schema: true,
      health: { state: "healthy", reason: "" },
    });
    expect(list.tools[1]).toMatchObject({
      execution: "gateway",
      input_schema: { type: "object" },
      output_schema: null,
      tags: [],
      enabled: true,
    });
  });

  it("shows a toolset", () => {
    expect(toolsetToJson(toolset)).toMatchObject({
      name: "demo",
      tools: 2,
      available_tools: 2,
      health: { state: "healthy" },
    });
  });
});

describe("doorErrorToJson", () => {
  it.each(Object.keys(DOOR_ERRORS) as DoorErrorCode[])("has the shape of an envelope for %s", (code) => {
    const error = new DoorError(code, 'said "so"', new Error("not for callers"));
    expect(JSON.parse(doorErrorToJson(error))).toEqual({
      status: "error",
      tool: "",
      error: {
        code,
        class: DOOR_ERRORS[code].class,
        message: 'said "so"',
        retryable: code === "UNAVAILABLE",
        violations: [],
        near_names: [],
      },
    });
  });
});
