import { create, toBinary } from "@bufbuild/protobuf";
import { NullValue, StructSchema, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { type InvokeRequest, InvokeResponseSchema, ToolFailureSchema } from "@toolgate/contract";
import type { Backend, Invocation, ToolgateError } from "@toolgate/core";
import { anInvocation } from "@toolgate/testkit/backend-suite";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { GrpcServer, SeenCall } from "../../test/grpc-server.ts";
import { H2Server } from "../../test/h2-server.ts";
import { instanceAt, providerTool, startProvider } from "../../test/provider-tool.ts";
import { createProviderBackend } from "./index.ts";

const backend: Backend = createProviderBackend();
const servers: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => backend.close());

type Answer = Parameters<typeof startProvider>[0];

async function ask(answer: Answer, changes: Partial<Invocation> = {}) {
  const server = await startProvider(answer);
  servers.push(server);
  return { server, ending: await settle(server, changes) };
}

function settle({ address }: Pick<GrpcServer, "address">, changes: Partial<Invocation>) {
  const { tool = providerTool(), ...rest } = changes;
  const instances = [instanceAt(address)];
  return backend.invoke(anInvocation(tool, {}, { instances, ...rest })).catch((error: ToolgateError) => error);
}

const fine: Answer = () => ({ case: "dataJson", value: "1" });

describe("a request to a provider", () => {
  const requestOf = async (changes: Partial<Invocation>): Promise<{ request: InvokeRequest; call: SeenCall }> => {
    const seen = Promise.withResolvers<{ request: InvokeRequest; call: SeenCall }>();
    await ask((request, call) => {
      seen.resolve({ request, call });
      return { case: "dataJson", value: "1" };
    }, changes);
    return seen.promise;
  };

  it("says which tool, which call, who calls and which key makes it the same call again", async () => {
    const caller = { id: "key-7", admin: false };
    const { request } = await requestOf({ callId: "c-1", caller, idempotencyKey: "idem" });
    expect(request).toMatchObject({ tool: "provided", callId: "c-1", caller: "key-7", idempotencyKey: "idem" });
  });

  it("carries the exact text of the arguments where it is known", async () => {
    const { request } = await requestOf({ args: { a: 1 }, argsText: '{ "a": 1.0 }' });
    expect(request.input).toEqual({ case: "argumentsJson", value: '{ "a": 1.0 }' });
  });

  it("carries the caller's trace and deadline, and nothing else of the caller", async () => {
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
    const { call } = await requestOf({ trace, timeoutMs: 4_000 });
    expect(call.metadata.getMap()).toMatchObject(trace);
    expect(Object.keys(call.metadata.getMap()).sort()).toEqual(
      ["accept-encoding", "grpc-accept-encoding", "traceparent", "tracestate", "user-agent"].filter((key) =>
        Object.hasOwn(call.metadata.getMap(), key),
      ),
    );
    expect(call.timeoutMs).toBeGreaterThan(3_000);
    expect(call.timeoutMs).toBeLessThanOrEqual(4_000);
  });

  it("leaves a trace out that metadata cannot hold", async () => {
    const { call } = await requestOf({ trace: { traceparent: "a\r\nauthorization: b" } });
    expect(call.metadata.get("traceparent")).toEqual([]);
  });
});

describe("a provider's result", () => {
  it("goes on as text, untouched", async () => {
    const { ending } = await ask(() => ({ case: "dataJson", value: '{ "Id": 1917043659912705296 }' }));
    expect(ending).toEqual({ kind: "text", text: '{ "Id": 1917043659912705296 }', mediaType: "application/json" });
  });

  it("goes on as a value, with all its kinds", async () => {
    const value = (kind: Value["kind"]) => create(ValueSchema, { kind });
    const fields = {
      n: value({ case: "numberValue", value: 1.5 }),
      s: value({ case: "stringValue", value: "読" }),
      b: value({ case: "boolValue", value: false }),
      z: value({ case: "nullValue", value: NullValue.NULL_VALUE }),
      l: value({ case: "listValue", value: { $typeName: "google.protobuf.ListValue", values: [] } }),
    };
    const struct = value({ case: "structValue", value: create(StructSchema, { fields }) });
    const { ending } = await ask(() => ({ case: "data", value: struct }));
    expect(ending).toEqual({ kind: "value", value: { n: 1.5, s: "読", b: false, z: null, l: [] } });
  });

  it("comes with its warnings", async () => {
    const outcome = { case: "dataJson" as const, value: "1" };
    const bytes = toBinary(InvokeResponseSchema, create(InvokeResponseSchema, { outcome, warnings: ["stale"] }));
    expect((await ask(() => Buffer.from(bytes))).ending).toMatchObject({ warnings: ["stale"] });
  });

  it("is taken when it is just as large as the tool allows, and refused beyond, also beyond the channel's limit", async () => {
    const sized = (bytes: number, maxBytes: number) =>
      ask(() => ({ case: "dataJson", value: "1".repeat(bytes) }), {
        tool: providerTool({ response: { format: "auto", maxBytes } }),
      });
    expect((await sized(1_000, 1_000)).ending).toMatchObject({ kind: "text" });
    expect((await sized(1_001, 1_000)).ending).toMatchObject({ code: "RESULT_TOO_LARGE" });
    expect((await sized(6_000_000, 1_000)).ending).toMatchObject({ code: "RESULT_TOO_LARGE" });
    expect((await sized(6_000_000, 8_000_000)).ending).toMatchObject({ kind: "text" });
  });

  it.each<[string, Answer]>([
    ["has neither data nor failure", () => Buffer.alloc(0)],
    ["is no InvokeResponse", () => Buffer.from([0xff, 0xff, 0xff])],
    ["is a number that JSON has not", () => nonFinite()],
    ["is a value without a kind", () => ({ case: "data", value: create(ValueSchema) })],
  ])("is invalid when it %s", async (_what, answer) => {
    const { ending } = await ask(answer);
    expect(ending).toMatchObject({ code: "RESULT_INVALID", message: expect.stringContaining("sent") });
  });
});

function nonFinite() {
  const value = create(ValueSchema, { kind: { case: "numberValue", value: Number.NaN } });
  return { case: "data" as const, value };
}

describe("a provider's failure", () => {
  const failing = (parts: { message?: string; code?: string; retryable?: boolean }) =>
    ask(() => ({ case: "failure", value: create(ToolFailureSchema, parts) }));

  it("is told in its own words, with code and whether to try again", async () => {
    const { ending } = await failing({ message: "no such city", code: "E42", retryable: true });
    expect(ending).toMatchObject({
      code: "TOOL_ERROR",
      retryable: true,
      details: { backendAnswer: { status: "E42", body: "no such city" } },
    });
    expect((ending as Error).message).toContain("no such city");
  });

  it("is cut where it is long, and told where it says nothing", async () => {
    const long = (await failing({ message: "x".repeat(10_000), code: "y".repeat(1_000) })).ending as ToolgateError;
    expect(long.details.backendAnswer?.body).toHaveLength(4_096);
    expect(long.details.backendAnswer?.status).toHaveLength(128);
    expect(long.message.length).toBeLessThan(4_200);
    expect((await failing({})).ending).toMatchObject({
      code: "TOOL_ERROR",
      message: expect.stringContaining("no reason"),
    });
  });
});

describe("a provider that answers with a status", () => {
  it.each([
    ["UNIMPLEMENTED", 12, false],
    ["UNAUTHENTICATED", 16, false],
    ["INTERNAL", 13, false],
    ["UNAVAILABLE", 14, true],
    ["DEADLINE_EXCEEDED", 4, false],
    ["CANCELLED", 1, false],
  ])("is broken: %s", async (name, code, retryable) => {
    const { ending, server } = await ask(() => ({ code, details: "because" }));
    expect(ending).toMatchObject({
      code: "TOOL_ERROR",
      retryable,
      message: expect.stringContaining(`${name}: because`),
      details: { backendAnswer: { status: name, body: "because" } },
    });
    expect(server.seen).toHaveLength(1);
  });

  it("limits-07 (istio/istio#19789): is not to be asked again for RESOURCE_EXHAUSTED", async () => {
    const { ending } = await ask(() => ({ code: 8, details: "full" }));
    expect(ending).toMatchObject({ code: "TOOL_ERROR", retryable: false });
  });

  it("says what is missing where it does not serve the service", async () => {
    const server = await H2Server.start((stream) => stream.respond({ ":status": 404 }, { endStream: true }));
    servers.push(server);
    const ending = await settle(server, {});
    expect(ending).toMatchObject({ code: "TOOL_ERROR", message: expect.stringContaining("HTTP 404") });
  });
});

describe("a definition for a provider", () => {
  it("has no settings", () => {
    expect(backend.inspect(providerTool())).toEqual([]);
    const tool = { ...providerTool(), backend: { kind: "provider", name: "p", settings: { "a/b": 1 } } };
    expect(backend.inspect(tool)).toMatchObject([{ path: "/backend/settings/a~1b" }]);
  });
});

it("answers like any other after all of that", async () => {
  expect((await ask(fine)).ending).toMatchObject({ text: "1" });
});
