import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { Metadata } from "@grpc/grpc-js";
import type { BackendSpec, JsonObject } from "@toolgate/core";
import { anInvocation } from "@toolgate/testkit/backend-suite";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { errorOf } from "../../test/calling.ts";
import { type DemoMethods, grpcTool, startDemo } from "../../test/grpc-tool.ts";
import { H2Server } from "../../test/h2-server.ts";
import { createGrpcBackend } from "./index.ts";

const backend = createGrpcBackend();
const servers: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => backend.close());

async function toolFor(methods: DemoMethods, settings: JsonObject = {}) {
  const server = await startDemo(methods);
  servers.push(server);
  return { server, tool: grpcTool(server.address, settings) };
}

const echo: DemoMethods = { Echo: (json) => ({ json }) };

describe("a call", () => {
  it("carries metadata, trace, deadline and idempotency key", async () => {
    const settings = { metadata: { "x-key": "secret", "x-data-bin": "aGk=" }, idempotency_metadata: "idempotency-key" };
    const { tool, server } = await toolFor(echo, settings);
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
    await backend.invoke(anInvocation(tool, {}, { trace, idempotencyKey: "k-1", timeoutMs: 4_000 }));
    const call = server.seen[0]?.call;
    expect(call?.metadata.getMap()).toMatchObject({
      ...trace,
      "x-key": "secret",
      "x-data-bin": Buffer.from("hi"),
      "idempotency-key": "k-1",
    });
    expect(call?.timeoutMs).toBeLessThanOrEqual(4_000);
    expect(call?.timeoutMs).toBeGreaterThan(2_000);
  });

  it("does not carry the trace or key of another call", async () => {
    const { tool, server } = await toolFor(echo, { idempotency_metadata: "idempotency-key" });
    await backend.invoke(anInvocation(tool, {}, { trace: { traceparent: "00-1-1-00" }, idempotencyKey: "k-1" }));
    await backend.invoke(anInvocation(tool, {}, { caller: { id: "me", admin: true } }));
    const second = server.seen[1]?.call.metadata.getMap() ?? {};
    expect(Object.keys(second)).not.toContain("traceparent");
    expect(Object.keys(second)).not.toContain("idempotency-key");
    expect(JSON.stringify(second)).not.toContain("me");
  });

  it("is not made with a key that metadata cannot hold", async () => {
    const { tool, server } = await toolFor(echo, { idempotency_metadata: "idempotency-key" });
    expect(await errorOf(backend, tool, {}, { idempotencyKey: "schlüssel" })).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    expect(server.seen).toEqual([]);
  });
});

/** A google.rpc.Status with these details, in the metadata where it belongs. */
function statusMetadata(...details: readonly { typeUrl: string; value: Uint8Array }[]): Metadata {
  const writer = new BinaryWriter().tag(1, 0).int32(8);
  for (const { typeUrl, value } of details) {
    const any = new BinaryWriter().tag(1, 2).string(typeUrl).tag(2, 2).bytes(value).finish();
    writer.tag(3, 2).bytes(any);
  }
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(writer.finish()));
  return metadata;
}

function retryInfo(seconds: bigint) {
  const delay = toBinary(DurationSchema, create(DurationSchema, { seconds, nanos: 500_000_000 }));
  const value = new BinaryWriter().tag(1, 2).bytes(delay).finish();
  return { typeUrl: "type.googleapis.com/google.rpc.RetryInfo", value };
}

describe("a status error of the service", () => {
  const failing = async (status: { code: number; details?: string; metadata?: Metadata }) => {
    const { tool, server } = await toolFor({ Echo: () => status });
    const error = await errorOf(backend, tool);
    expect(server.seen).toHaveLength(1);
    return error;
  };

  it.each([
    ["NOT_FOUND", 5, false],
    ["INVALID_ARGUMENT", 3, false],
    ["ALREADY_EXISTS", 6, false],
    ["PERMISSION_DENIED", 7, false],
    ["UNAUTHENTICATED", 16, false],
    ["UNIMPLEMENTED", 12, false],
    ["INTERNAL", 13, false],
    ["UNAVAILABLE", 14, true],
    ["CANCELLED", 1, false],
    ["DEADLINE_EXCEEDED", 4, false],
  ])("is told with its name and words: %s", async (name, code, retryable) => {
    const error = await failing({ code, details: "no such city" });
    expect(error).toMatchObject({ code: "TOOL_ERROR", retryable });
    expect(error.message).toContain(`answered ${name}: no such city`);
    expect(error.details.backendAnswer).toEqual({ status: name, body: "no such city" });
  });

  it("limits-07 (istio/istio#19789, deeplay-io/nice-grpc#309): RESOURCE_EXHAUSTED alone is not to be repeated", async () => {
    expect(await failing({ code: 8 })).toMatchObject({ code: "TOOL_ERROR", retryable: false });
  });

  it("limits-07: RESOURCE_EXHAUSTED with RetryInfo is a limit, with its time", async () => {
    const error = await failing({ code: 8, details: "quota", metadata: statusMetadata(retryInfo(7n)) });
    expect(error).toMatchObject({ code: "RATE_LIMITED", retryable: true, details: { retryAfterMs: 7_500 } });
    expect(error.message).toContain("quota");
  });

  it("is told with its details, and the types of those that are not known", async () => {
    const field = new BinaryWriter().tag(1, 2).string("city").tag(2, 2).string("unknown city").finish();
    const badRequest = new BinaryWriter().tag(1, 2).bytes(field).finish();
    const metadata = statusMetadata(
      { typeUrl: "type.googleapis.com/google.rpc.BadRequest", value: badRequest },
      { typeUrl: "type.googleapis.com/demo.v1.Inner", value: new BinaryWriter().tag(2, 0).int32(5).finish() },
      { typeUrl: "type.googleapis.com/other.Thing", value: new Uint8Array([1]) },
    );
    const { backendAnswer } = (await failing({ code: 3, details: "bad", metadata })).details;
    expect(backendAnswer?.status).toBe("INVALID_ARGUMENT");
    const [words, details = ""] = backendAnswer?.body.split("\n") ?? [];
    expect(words).toBe("bad");
    expect(JSON.parse(details)).toEqual([
      { "@type": "google.rpc.BadRequest", fieldViolations: [{ field: "city", description: "unknown city" }] },
      { "@type": "demo.v1.Inner", n: 5 },
      { "@type": "other.Thing" },
    ]);
  });

  it("is told without details that are broken, and cut where it is long", async () => {
    const metadata = new Metadata();
    metadata.set("grpc-status-details-bin", Buffer.from([0xff, 0xff]));
    const { backendAnswer } = (await failing({ code: 3, details: "x".repeat(6_000), metadata })).details;
    expect(backendAnswer?.body).toBe("x".repeat(4_096));
  });
});

describe("what is between", () => {
  it("grpc-02 (grpc/grpc-node#2809): a proxy's page is told by its HTTP status", async () => {
    const server = await H2Server.start((stream) => {
      stream.respond({ ":status": 404, "content-type": "text/html" });
      stream.end("<html>0".repeat(1_000));
    });
    servers.push(server);
    const error = await errorOf(backend, grpcTool(server.address));
    expect(error).toMatchObject({ code: "TOOL_ERROR", details: { backendAnswer: { status: "UNIMPLEMENTED" } } });
    expect(error.message).toContain("HTTP 404 Not Found");
    expect(error.message).not.toContain("larger than");
  });

  it("a proxy whose backend is away may be asked again", async () => {
    const server = await H2Server.start((stream) => stream.respond({ ":status": 503 }, { endStream: true }));
    servers.push(server);
    expect(await errorOf(backend, grpcTool(server.address))).toMatchObject({ code: "TOOL_ERROR", retryable: true });
  });

  it("a TLS tool on a plain port is told so", async () => {
    const { tool } = await toolFor(echo, { tls: true });
    const error = await errorOf(backend, tool);
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("TLS") });
  });
});

describe("a tool that came over the network", () => {
  it("security-03 (modelcontextprotocol/servers#4838): is confined to allowed addresses; one of the operator is not", async () => {
    const guarded = createGrpcBackend({ allowAddress: () => false });
    servers.push({ stop: () => guarded.close() });
    const { tool, server } = await toolFor(echo);
    const confined = { ...tool, backend: { ...(tool.backend as BackendSpec), confined: true } } as const;
    await guarded.invoke(anInvocation(tool));
    const error = await errorOf(guarded, confined);
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE" });
    expect(error.message).toContain("an address that this gateway may not connect to");
    expect(server.seen).toHaveLength(1);
  });
});
