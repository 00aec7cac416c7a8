import { Code, ConnectError } from "@connectrpc/connect";
import { CacheControl, type CallRequest } from "@toolgate/contract";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import { createClient } from "./index.ts";
import { clientOf, type EnvelopeInit, success } from "./router-client.fixture.ts";

describe("call", () => {
  it("keeps every digit of an integer, in both directions", async () => {
    const client = clientOf(({ input }) => success(input.case === "argumentsJson" ? input.value : "null"));
    const result = await client.call("echo", { id: 1917043659912705296n, small: 7 });
    expect(result).toMatchObject({
      status: "success",
      tool: "echo",
      data: { id: 1917043659912705296n, small: 7 },
      dataJson: '{"id":1917043659912705296,"small":7}',
    });
  });

  it("sends arguments that are JSON text already as they are", async () => {
    const client = clientOf(({ input }) => success(JSON.stringify(input.value)));
    const text = '{ "price": 5.20 }';
    const result = await client.call<string>("echo", text);
    if (result.status !== "success") throw new Error(result.status);
    expect(result.data).toBe(text);
  });

  it("passes every option on", async () => {
    let seen: CallRequest | undefined;
    const client = clientOf((request) => {
      seen = request;
      return success("1");
    });
    await client.call(
      { capability: "search" },
      {},
      { sessionId: "s", callId: "c", idempotencyKey: "k", cache: "refresh", raw: true, fields: ["a.b"] },
    );
    expect(seen).toMatchObject({
      target: { case: "capability", value: "search" },
      sessionId: "s",
      callId: "c",
      idempotencyKey: "k",
      cache: CacheControl.REFRESH,
      raw: true,
      fields: ["a.b"],
    });
    await client.call({ pipeline: "research" });
    expect(seen).toMatchObject({ target: { case: "pipeline", value: "research" }, cache: CacheControl.UNSPECIFIED });
    expect(seen?.input).toEqual({ case: "argumentsJson", value: "{}" });
  });

  it("gives a tool's error as a result", async () => {
    const client = clientOf(() => ({
      status: "error",
      error: {
        code: "INVALID_ARGUMENT",
        class: "argument",
        message: "no",
        retryAfterMs: 5,
        violations: [{ path: "/limit", expected: "integer", got: '"x"' }],
        nearNames: ["a"],
        backendAnswer: { status: "400", body: "bad" },
      },
      meta: {
        callId: "c1",
        latencyMs: 1.5,
        limits: [{ name: "global.max_qps", limit: 2, remaining: 1, resetMs: 9, windowMs: 1_000 }],
      },
    }));
    const result = await client.call("echo");
    if (result.status !== "error") throw new Error(result.status);
    expect(result.error).toEqual({
      code: "INVALID_ARGUMENT",
      class: "argument",
      message: "no",
      retryable: false,
      retryAfterMs: 5,
      violations: [{ path: "/limit", expected: "integer", got: '"x"' }],
      nearNames: ["a"],
      backendAnswer: { status: "400", body: "bad" },
    });
    expect(result.meta).toMatchObject({ callId: "c1", latencyMs: 1.5, attempts: 0, cached: false });
    expect(result.meta.limits).toEqual([
      { name: "global.max_qps", limit: 2, remaining: 1, resetMs: 9, windowMs: 1_000 },
    ]);
  });

  it("gives the checked arguments of a tool that the agent runs", async () => {
    const client = clientOf(() => ({ status: "delegated", payload: { case: "dataJson", value: '{"note":"x"}' } }));
    expect(await client.call("memory")).toMatchObject({ status: "delegated", data: { note: "x" } });
  });

  it.each([
    ["a status that it does not know", { status: "pending" }, 'the status "pending"'],
    ["a success without a result", { status: "success" }, "without a result as JSON text"],
    ["an error without a reason", { status: "error" }, "without saying which"],
    ["a result that is not JSON", success("{"), "is not JSON"],
  ])("refuses %s", async (_name, envelope: EnvelopeInit, message) => {
    const error = await failureOf(clientOf(() => envelope).call("echo"));
    expect(error).toMatchObject({ code: "INVALID_RESPONSE", mayHaveRun: true });
    expect(error.message).toContain(message);
  });

  it.each([
    ["NaN", { x: Number.NaN }],
    [
      "a circle",
      (() => {
        const circle: Record<string, unknown> = {};
        circle.self = circle;
        return circle;
      })(),
    ],
  ])("refuses arguments with %s before sending anything", async (_name, args) => {
    const error = await failureOf(clientOf(() => success("1")).call("echo", args));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", mayHaveRun: false });
  });

  it.each([0, -1, Number.NaN, 2 ** 31])("refuses a timeout of %s", async (timeoutMs) => {
    const error = await failureOf(clientOf(() => success("1")).call("echo", {}, { timeoutMs }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", mayHaveRun: false });
  });
});

describe("the API key", () => {
  it("goes with every request", async () => {
    const client = clientOf((_request, { requestHeader }) => success(`"${requestHeader.get("authorization")}"`), {
      apiKey: "tg_key",
    });
    expect(await client.call("echo")).toMatchObject({ data: "Bearer tg_key" });
  });

  it("is not repeated where it cannot be sent", () => {
    expect(() => createClient({ apiKey: "secret\n" })).toThrow(/^The API key (?!.*secret)/);
  });
});

describe("what a gateway answers instead of an envelope", () => {
  it.each([
    [Code.Unauthenticated, "UNAUTHENTICATED", false],
    [Code.PermissionDenied, "PERMISSION_DENIED", false],
    [Code.InvalidArgument, "INVALID_ARGUMENT", false],
    [Code.ResourceExhausted, "MESSAGE_TOO_LARGE", false],
    [Code.Unimplemented, "UNIMPLEMENTED", false],
    [Code.Unavailable, "UNAVAILABLE", false],
    [Code.Internal, "INTERNAL", true],
    [Code.Canceled, "UNAVAILABLE", true],
  ] as const)("status %i becomes %s, in the gateway's words", async (status, code, mayHaveRun) => {
    const client = clientOf(() => {
      throw new ConnectError("the gateway's words", status);
    });
    const error = await failureOf(client.call("echo"));
    expect(error).toMatchObject({ code, mayHaveRun, message: "the gateway's words" });
    expect(error.cause).toBeInstanceOf(ConnectError);
  });
});

describe("cancelling", () => {
  it("ends a call that waits", async () => {
    const controller = new AbortController();
    const client = clientOf(() => {
      controller.abort();
      return new Promise(() => {});
    });
    const error = await failureOf(client.call("echo", {}, { signal: controller.signal }));
    expect(error).toMatchObject({ code: "CANCELLED", mayHaveRun: true });
  });

  it("sends nothing where the signal is aborted already", async () => {
    const client = clientOf(() => {
      throw new Error("must not be reached");
    });
    const error = await failureOf(client.call("echo", {}, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "CANCELLED", mayHaveRun: false });
  });

  it("says so where the client was closed", async () => {
    const client = clientOf(() => {
      client.close();
      return new Promise(() => {});
    });
    expect(await failureOf(client.call("echo"))).toMatchObject({ code: "CANCELLED", mayHaveRun: true });
    expect(await failureOf(client.call("echo"))).toMatchObject({ code: "CANCELLED", mayHaveRun: false });
  });
});

describe("a call that takes too long", () => {
  it("ends by the call's timeout, or by the client's", async () => {
    const forever = () => new Promise<EnvelopeInit>(() => {});
    const byCall = await failureOf(clientOf(forever).call("echo", {}, { timeoutMs: 20 }));
    expect(byCall).toMatchObject({ code: "DEADLINE_EXCEEDED", mayHaveRun: true });
    const byClient = await failureOf(clientOf(forever, { defaultTimeoutMs: 30 }).call("echo"));
    expect(byClient.code).toBe("DEADLINE_EXCEEDED");
  });
});
