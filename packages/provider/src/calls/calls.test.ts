import { Metadata, status } from "@grpc/grpc-js";
import { ToolProviderService } from "@toolgate/contract";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Caller, callerOf, endingOf } from "../../test/calling.ts";
import { type ScriptedGateway, startGateway } from "../../test/scripted-gateway.ts";
import { echo, eventually, type LogEntry, recordingLog, serving } from "../../test/serving.ts";
import { defineTool, type ServeOptions, type ToolContext, ToolFailure, type ToolOptions } from "../index.ts";

const { invoke: invokeMethod, check: checkMethod } = ToolProviderService.method;

let gateway: ScriptedGateway;
let log: ReturnType<typeof recordingLog>;

beforeEach(async () => {
  gateway = await startGateway(0, { leaseMs: 60_000 });
  log = recordingLog();
});

type Handler = ToolOptions<Record<string, never>, Record<string, never>>["handler"];

/** A provider with one tool "t" of this handler, and a connection to it. */
async function providing(handler: Handler, options: Partial<ServeOptions> = {}): Promise<Caller> {
  const tool = defineTool({ name: "t", description: "d", schema: {}, handler });
  return callerOf(await serving({ gateway: gateway.address, tools: [tool], log, ...options }));
}

const errorsIn = ({ entries }: { entries: readonly LogEntry[] }) => entries.filter(({ level }) => level === "error");

/** Resolves when the signal aborts, with the name of the reason. */
function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve((signal.reason as Error).name), { once: true });
  });
}

describe("a result", () => {
  it("of any JSON comes through unchanged", async () => {
    const caller = await providing((args) => args.value);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const text = JSON.stringify({ value });
        expect(`{"value":${endingOf(await caller.invoke("t", text))}}`).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps every digit, from the arguments to the result", async () => {
    const caller = await providing((args) => args);
    const text = '{"id":1917043659912705296,"list":[-99999999999999999999]}';
    expect(endingOf(await caller.invoke("t", text))).toBe(text);
  });

  it.each<[Handler, string]>([
    [() => undefined, "null"],
    [async () => ({ at: new Date(0), gone: undefined }), '{"at":"1970-01-01T00:00:00.000Z"}'],
    [() => new Map(), "RESULT_INVALID: The result is a Map, which JSON cannot hold; return Object.fromEntries(map)."],
  ])("%#", async (handler, ending) => {
    expect(endingOf(await (await providing(handler)).invoke("t", "{}"))).toBe(ending);
  });

  it("that contains itself is a failure in words", async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const ending = endingOf(await (await providing(() => loop)).invoke("t", "{}"));
    expect(ending).toBe("RESULT_INVALID: The result at /self contains itself, so its JSON would never end.");
  });

  it("of several megabytes comes through", async () => {
    const caller = await providing((args) => args);
    const text = JSON.stringify({ text: "読".repeat(1_000_000) });
    const { response } = caller.send(invokeMethod, { tool: "t", input: { case: "argumentsJson", value: text } });
    // grpc-js itself reads 4 MB at most, unless told otherwise.
    expect(endingOf(await response)).toBe(text);
  });

  it("brings its warnings, bounded", async () => {
    const caller = await providing((_args, { warn }) => {
      for (let n = 0; n < 40; n += 1) warn(`${n}${"x".repeat(2_000)}`);
    });
    const { warnings } = await caller.invoke("t", "{}");
    expect(warnings).toHaveLength(32);
    expect(warnings[0]).toHaveLength(1_024);
  });
});

describe("a handler that throws", () => {
  it("a ToolFailure fails in its words; its cause stays here", async () => {
    const caller = await providing(() => {
      throw new ToolFailure("NO_CITY", "There is no such city.", { retryable: true, cause: new Error("secret") });
    });
    const { outcome } = await caller.invoke("t", "{}");
    expect(outcome).toMatchObject({
      case: "failure",
      value: { code: "NO_CITY", message: "There is no such city.", retryable: true },
    });
    expect(log.entries.at(-1)).toMatchObject({ level: "warn", fields: { tool: "t", callId: "c-1", toolset: "test" } });
  });

  it.each([new Error("password=hunter2"), "password=hunter2", null, { code: "password=hunter2" }])(
    "anything else tells strangers nothing: %#",
    async (thrown) => {
      const caller = await providing(() => {
        throw thrown;
      });
      const { outcome } = await caller.invoke("t", "{}");
      expect(outcome).toMatchObject({ case: "failure", value: { code: "INTERNAL", retryable: false } });
      expect(JSON.stringify(outcome)).not.toContain("hunter2");
      expect(JSON.stringify(outcome)).toContain("under call_id c-1");
      expect(errorsIn(log)).toMatchObject([{ fields: { tool: "t", callId: "c-1" } }]);
      expect(errorsIn(log)[0]?.fields.error).toBe(thrown);
    },
  );

  it("and one whose failure is very long is cut, never inside a character", async () => {
    const caller = await providing(() => {
      throw new ToolFailure("LONG", `${"x".repeat(4_094)}${"🙂".repeat(10)}`);
    });
    const { outcome } = await caller.invoke("t", "{}");
    expect((outcome.value as { message: string }).message).toBe(`${"x".repeat(4_094)}…`);
  });
});

describe("arguments", () => {
  it("come as text, as a Struct, or not at all", async () => {
    const caller = await providing((args) => args);
    const send = (input: object) => caller.send(invokeMethod, { tool: "t", ...input }).response;
    expect(endingOf(await send({ input: { case: "arguments", value: { a: [1, null] } } }))).toBe('{"a":[1,null]}');
    expect(endingOf(await send({}))).toBe("{}");
  });

  it.each(["", "{", "[]", "null", "1"])("that are no JSON object are a failure: %s", async (text) => {
    const ending = endingOf(await (await providing(() => 1)).invoke("t", text));
    expect(ending).toMatch(/^INVALID_ARGUMENT: The arguments (are not JSON|must be a JSON object)\.$/);
  });

  it("that Zod refuses are a failure with paths, and the handler does not run", async () => {
    let ran = false;
    const handler = () => {
      ran = true;
    };
    const tool = defineTool({ name: "t", description: "d", schema: z.object({ city: z.string() }), handler });
    const caller = callerOf(await serving({ gateway: gateway.address, tools: [tool], log }));
    expect(endingOf(await caller.invoke("t", '{"city":1}'))).toMatch(/^INVALID_ARGUMENT: .*\/city: /);
    expect(ran).toBe(false);
  });

  it("for a tool that is not here are a failure", async () => {
    expect(endingOf(await (await providing(() => 1)).invoke("other", "{}"))).toMatch(/^TOOL_NOT_FOUND: .*"other"/);
  });
});

describe("the context", () => {
  it("says which call it is, who calls, and carries key and trace", async () => {
    const caller = await providing((_args, { callId, caller: who, idempotencyKey, trace }) => {
      return { callId, who, idempotencyKey, trace };
    });
    const metadata = new Metadata();
    metadata.set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    metadata.set("tracestate", "a=b");
    const request = { tool: "t", callId: "c-9", caller: "ann", idempotencyKey: "once" };
    const { response } = caller.send(invokeMethod, request, { metadata });
    expect(JSON.parse(endingOf(await response))).toEqual({
      callId: "c-9",
      who: "ann",
      idempotencyKey: "once",
      trace: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" },
    });
    expect(endingOf(await caller.invoke("t", "{}"))).toBe('{"callId":"c-1","trace":{}}');
  });

  it("logs with tool and call", async () => {
    const caller = await providing((_args, context) => context.log.info({ n: 1 }, "hello"));
    await caller.invoke("t", "{}");
    expect(log.entries.at(-1)).toEqual({
      level: "info",
      message: "hello",
      fields: { toolset: "test", tool: "t", callId: "c-1", n: 1 },
    });
  });
});

describe("the signal of a call", () => {
  it("aborts at the deadline", async () => {
    const reason = Promise.withResolvers<string>();
    const caller = await providing(async (_args, { signal }) => reason.resolve(await aborted(signal)));
    const { response } = caller.send(invokeMethod, { tool: "t" }, { deadline: Date.now() + 100 });
    await expect(response).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(["TimeoutError", "AbortError"]).toContain(await reason.promise);
  });

  it("aborts when the caller goes away, and what the handler then throws is no error", async () => {
    const started = Promise.withResolvers<void>();
    const caller = await providing(async (_args, { signal }) => {
      started.resolve();
      await aborted(signal);
      throw signal.reason;
    });
    const call = caller.send(invokeMethod, { tool: "t" });
    await started.promise;
    call.cancel();
    await expect(call.response).rejects.toMatchObject({ code: status.CANCELLED });
    await eventually(() => log.entries.at(-1)?.message).toBe("a handler ended after its call was aborted");
    expect(errorsIn(log)).toEqual([]);
  });

  it("stays quiet in a call that goes well", async () => {
    const signals: AbortSignal[] = [];
    const seen = Promise.withResolvers<ToolContext["signal"]>();
    const caller = await providing((_args, { signal }) => {
      signals.push(signal);
      seen.resolve(signal);
      return signal.aborted;
    });
    expect(endingOf(await caller.invoke("t", "{}"))).toBe("false");
  });

  it("a call survives thousands of cancelled neighbours on its connection", async () => {
    const finish = Promise.withResolvers<string>();
    const tools = [
      defineTool({ name: "slow", description: "d", schema: {}, handler: () => finish.promise }),
      defineTool({ name: "t", description: "d", schema: {}, handler: (_args, { signal }) => aborted(signal) }),
    ];
    const provider = await serving({ gateway: gateway.address, tools, log });
    const caller = callerOf(provider);
    const slow = caller.invoke("slow", "{}");
    for (let round = 0; round < 20; round += 1) {
      const calls = Array.from({ length: 100 }, () => caller.send(invokeMethod, { tool: "t" }));
      // So that each reaches the provider before it is cancelled.
      await caller.send(checkMethod, { tool: "t" }).response;
      for (const call of calls) call.cancel();
      await Promise.allSettled(calls.map(({ response }) => response));
    }
    finish.resolve("done");
    expect(endingOf(await slow)).toBe('"done"');
  });
});

describe("how many run at once", () => {
  it("is bounded where it is said, and a refusal can be tried again", async () => {
    const finish = Promise.withResolvers<void>();
    let running = 0;
    const handler = async () => {
      running += 1;
      await finish.promise;
    };
    const caller = await providing(handler, { maxConcurrent: 2 });
    const first = [caller.invoke("t", "{}"), caller.invoke("t", "{}")];
    await eventually(() => running).toBe(2);
    const { outcome } = await caller.invoke("t", "{}");
    expect(outcome).toMatchObject({ case: "failure", value: { code: "OVERLOADED", retryable: true } });
    finish.resolve();
    await Promise.all(first);
    expect(endingOf(await caller.invoke("t", "{}"))).toBe("null");
  });
});

describe("a check", () => {
  const checking = async (check: (() => boolean | string) | undefined, tool = "t") => {
    const checked = { name: "t", description: "d", schema: {}, handler: () => 1, ...(check && { check }) };
    const provider = await serving({ gateway: gateway.address, tools: [defineTool(checked)], log });
    const { available, reason } = await callerOf(provider).send(checkMethod, { tool }).response;
    return { available, reason };
  };

  it.each<[string, (() => boolean | string) | undefined, object]>([
    ["none", undefined, { available: true, reason: "" }],
    ["yes", () => true, { available: true, reason: "" }],
    ["no", () => false, { available: false, reason: "Its check says no." }],
    ["a reason", () => "no quota left", { available: false, reason: "no quota left" }],
  ])("%s", async (_what, check, answer) => {
    expect(await checking(check)).toEqual(answer);
  });

  it("that throws says no, and its cause stays here", async () => {
    const check = () => {
      throw new Error("hunter2");
    };
    expect(await checking(check)).toEqual({
      available: false,
      reason: "Its check failed; the provider's log says why.",
    });
    expect(errorsIn(log)).toMatchObject([{ message: "a check threw", fields: { tool: "t" } }]);
  });

  it("of a tool that is not here says no", async () => {
    expect(await checking(undefined, "other")).toMatchObject({ available: false });
  });

  it("of the provider as a whole is its own", async () => {
    const options = { gateway: gateway.address, tools: [echo()], log };
    const ask = async (provider: { address: string }) =>
      (await callerOf(provider).send(checkMethod, { tool: "" }).response).reason;
    expect(await ask(await serving(options))).toBe("");
    expect(await ask(await serving({ ...options, check: () => "the database is away" }))).toBe("the database is away");
  });
});
