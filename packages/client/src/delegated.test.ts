import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import type { HandlerContext, ToolHandlers } from "./index.ts";
import { argsText, clientOf, delegated, success } from "./router-client.fixture.ts";

const clientWith = (handlers: ToolHandlers) => clientOf((request) => delegated(argsText(request)), { handlers });

describe("a tool that the agent runs itself", () => {
  it("is run by its handler, whose result is the call's", async () => {
    const seen: { args?: object; context?: HandlerContext } = {};
    const client = clientWith({
      memory: async (args, context) => {
        Object.assign(seen, { args, context });
        return { saved: true, at: 1917043659912705296n };
      },
    });
    const result = await client.call("memory", '{"note":"x","price":5.20}', { callId: "c1", sessionId: "s1" });
    expect(result).toMatchObject({
      status: "success",
      delegated: true,
      tool: "memory",
      data: { saved: true, at: 1917043659912705296n },
      dataJson: '{"saved":true,"at":1917043659912705296}',
      envelope: { status: "delegated" },
    });
    expect(seen.args).toEqual({ note: "x", price: 5.2 });
    expect(seen.context).toMatchObject({
      tool: "memory",
      callId: "c1",
      sessionId: "s1",
      argsJson: '{"note":"x","price":5.20}',
    });
  });

  it("gives null where its handler returns nothing", async () => {
    expect(await clientWith({ memory: () => undefined }).call("memory")).toMatchObject({
      status: "success",
      data: null,
    });
  });

  it.each<[string, () => unknown, string, string]>([
    ["throws", () => Promise.reject(new Error("disk full")), "TOOL_ERROR", 'The handler of "memory" failed: disk full'],
    ["throws no error", () => Promise.reject("no"), "TOOL_ERROR", 'The handler of "memory" failed: no'],
    [
      "returns no JSON",
      () => ({ x: Number.NaN }),
      "RESULT_INVALID",
      'The handler of "memory" returned what cannot be written as JSON: "x" is NaN, which JSON cannot hold',
    ],
  ])("ends in an error where its handler %s", async (_what, handler, code, message) => {
    const result = await clientWith({ memory: handler }).call("memory");
    if (result.status !== "error") throw new Error(result.status);
    expect(result).toMatchObject({ tool: "memory", delegated: true });
    expect(result.error).toEqual({ code, class: "tool", message, retryable: false, violations: [], nearNames: [] });
    expect(result.cause).toBeDefined();
  });

  it.each(["memory", "constructor", "toString"])(
    "is handed back as it is where there is no handler: %s",
    async (tool) => {
      const result = await clientWith({ other: () => 1 }).call(tool, { note: "x" });
      expect(result).toMatchObject({ status: "delegated", data: { note: "x" } });
    },
  );

  it("has nothing to do with tools that the gateway runs", async () => {
    const handlers = { echo: () => "mine" };
    expect(await clientOf(() => success('"theirs"'), { handlers }).call("echo")).toMatchObject({ data: "theirs" });
  });

  it("does not hold up a caller who goes away", async () => {
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const client = clientWith({
      memory: (_args, context) => {
        signal = context.signal;
        controller.abort();
        return new Promise(() => {});
      },
    });
    const error = await failureOf(client.call("memory", {}, { signal: controller.signal }));
    expect(error).toMatchObject({ code: "CANCELLED", mayHaveRun: true });
    expect(signal?.aborted).toBe(true);
  });

  it("ends where the client is closed", async () => {
    const client = clientWith({
      memory: () => {
        client.close();
        return new Promise(() => {});
      },
    });
    expect(await failureOf(client.call("memory"))).toMatchObject({ code: "CANCELLED", mayHaveRun: true });
  });
});
