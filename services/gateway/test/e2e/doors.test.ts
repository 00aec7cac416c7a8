import { create } from "@bufbuild/protobuf";
import { Metadata, status } from "@grpc/grpc-js";
import { CallRequestSchema, ToolGatewayService } from "@toolgate/contract";
import { expect } from "vitest";
import { asText, callGrpc, startCall } from "./harness/call.ts";
import { observed } from "./harness/connections.ts";
import { eventually } from "./harness/eventually.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient, unary } from "./harness/grpc-client.ts";
import { httpBackend } from "./harness/http-backend.ts";
import { finished, run } from "./harness/process.ts";
import { serving } from "./harness/serving.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

/** `buf curl` against the gRPC door: a client that is not ours, and asks the server for the descriptors. */
function bufCurl(grpc: string, path: string, ...args: string[]) {
  return finished(
    run("buf", ["curl", "--protocol", "grpc", "--http2-prior-knowledge", ...args, `http://${grpc}${path}`]),
  );
}

verifies("doors.health", async () => {
  const gateway = await serving();
  const health = await bufCurl(gateway.grpc, "/grpc.health.v1.Health/Check", "-d", "{}");
  expect(JSON.parse(health.stdout)).toEqual({ status: "SERVING" });
  const one = await bufCurl(
    gateway.grpc,
    "/grpc.health.v1.Health/Check",
    "-d",
    '{"service":"toolgate.v1.ToolGatewayService"}',
  );
  expect(JSON.parse(one.stdout)).toEqual({ status: "SERVING" });
  const other = await bufCurl(gateway.grpc, "/grpc.health.v1.Health/Check", "-d", '{"service":"nobody"}');
  expect(other.stderr).toContain("not_found");
  const raw = (bytes: Buffer) => bytes;
  const watching = grpcClient(gateway.grpc).makeServerStreamRequest(
    "/grpc.health.v1.Health/Watch",
    raw,
    raw,
    Buffer.alloc(0),
  );
  const states: number[] = [];
  // Field 1 of HealthCheckResponse: 1 is SERVING, 2 is NOT_SERVING.
  watching.on("data", (bytes: Buffer) => states.push(bytes.readUInt8(1))).on("error", () => {});
  await eventually(() => states).toEqual([1]);
  gateway.child.kill("SIGTERM");
  await eventually(() => states).toEqual([1, 2]);
});

verifies("doors.reflection", async () => {
  const gateway = await testGateway();
  const services = await bufCurl(gateway.grpc, "", "--list-services");
  expect(services.stdout.trim().split("\n").sort()).toEqual([
    "grpc.health.v1.Health",
    "toolgate.v1.AdminService",
    "toolgate.v1.ToolGatewayService",
  ]);
  const call = await bufCurl(gateway.grpc, "/toolgate.v1.ToolGatewayService/Call", "-d", '{"tool":"nope"}');
  expect(JSON.parse(call.stdout)).toMatchObject({ envelope: { status: "error", error: { code: "TOOL_NOT_FOUND" } } });
});

verifies("doors.admin", async () => {
  const gateway = await testGateway();
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(gateway.admin + path, init);
    return { status: response.status, text: await response.text() };
  };
  expect(await get("/healthz")).toEqual({ status: 200, text: "ok\n" });
  expect(await get("/readyz")).toEqual({ status: 200, text: "ready\n" });
  expect((await get("/metrics")).text).toContain("# TYPE toolgate_calls_total counter");
  expect(await get("/other")).toEqual({ status: 404, text: "Known: /metrics, /healthz, /readyz\n" });
  expect((await get("/metrics", { method: "POST" })).status).toBe(405);
});

verifies("doors.too-large", "grpc-12 (connectrpc/conformance server_message_size.yaml)", async () => {
  const gateway = await testGateway({
    yaml: "max_message_bytes: 64KiB\n",
    tools: { "t.yaml": httpTool("t", (await httpBackend()).url) },
  });
  const seen = await observed(gateway.grpc);
  const client = grpcClient(seen.address);
  const { error } = await startCall(client, asText("t", { text: "x".repeat(100_000) })).result;
  expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
  expect((await callGrpc(client, asText("t"))).status).toBe("success");
  expect(seen.connections).toBe(1);
  const http = await callHttp(gateway, { tool: "t", params: { text: "x".repeat(100_000) } });
  expect(http).toMatchObject({ status: 413, envelope: { status: "error", error: { code: "MESSAGE_TOO_LARGE" } } });
  expect(http.envelope.error.message).toContain("65536 bytes");
});

verifies(
  "doors.foreign-page",
  "security-05 (agentgateway/agentgateway#1855): on loopback, Host and Origin are checked",
  async () => {
    const gateway = await testGateway({ yaml: "allowed_origins: [https://console.example]\n" });
    const port = new URL(gateway.http).port;
    const ask = async (host: string, origin?: string) => {
      const header = origin === undefined ? [] : ["-H", `Origin: ${origin}`];
      const { stdout } = await finished(
        run("curl", ["-s", "-i", "-H", `Host: ${host}`, ...header, `${gateway.http}/v1/tools`]),
      );
      return { status: Number(stdout.split(" ")[1]), allowed: /access-control-allow-origin: (\S+)/i.exec(stdout)?.[1] };
    };
    expect(await ask(`localhost:${port}`)).toEqual({ status: 200, allowed: undefined });
    expect(await ask(`127.0.0.1:${port}`, "http://localhost:5173")).toEqual({
      status: 200,
      allowed: "http://localhost:5173",
    });
    expect(await ask(`127.0.0.1:${port}`, "https://console.example")).toEqual({
      status: 200,
      allowed: "https://console.example",
    });
    expect((await ask("evil.example")).status).toBe(403);
    expect(await ask(`localhost:${port}`, "http://evil.example")).toEqual({ status: 403, allowed: undefined });
    expect((await ask(`localhost:${port}`, "null")).status).toBe(403);
    expect((await ask("localhost.evil.example", "http://localhost")).status).toBe(403);
  },
);

verifies("doors.keepalive", "grpc-03 (grpc/grpc-node#138): pings on an idle connection are answered", async () => {
  const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", (await httpBackend()).url) } });
  const seen = await observed(gateway.grpc);
  const client = grpcClient(seen.address, {
    "grpc.keepalive_time_ms": 100,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.keepalive_permit_without_calls": 1,
  });
  await callGrpc(client, asText("t"));
  // Many more than the two "ping strikes" after which other servers send a client away.
  await eventually(() => seen.answeredPings).toBeGreaterThan(20);
  await callGrpc(client, asText("t"));
  expect({ connections: seen.connections, goaways: seen.goaways }).toEqual({ connections: 1, goaways: 0 });
});

verifies("doors.metadata", "grpc-11 (connectrpc/conformance duplicate_metadata.yaml)", async () => {
  const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", (await httpBackend()).url) } });
  const metadata = new Metadata();
  metadata.add("x-twice", "first-value");
  metadata.add("x-twice", "second-value");
  metadata.add("x-bytes-bin", Buffer.from([0, 255, 1, 254]));
  const envelope = await callGrpc(grpcClient(gateway.grpc), { ...asText("t"), callId: "with-metadata" }, { metadata });
  expect(envelope.status).toBe("success");
  expect(gateway.logged()).toContain("with-metadata");
  expect(gateway.logged()).not.toMatch(/first-value|second-value|AP8B|x-twice/);
});

verifies("doors.malformed", "bytes that are no message, through gRPC", async () => {
  const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", (await httpBackend()).url) } });
  const client = grpcClient(gateway.grpc);
  for (const bytes of [
    Buffer.from([0xff]),
    Buffer.from([0x0a, 0x7f, 0x41]),
    Buffer.from("not a message"),
    Buffer.alloc(1_000, 0x0b),
  ]) {
    const { error } = await unary(client, ToolGatewayService.method.call, bytes).result;
    expect(error?.code).toBe(status.INVALID_ARGUMENT);
    expect(error?.details).toMatch(/^The request is not a valid toolgate\.v1\.CallRequest: /);
    expect(error?.details).not.toMatch(/\n|at |\/work|node_modules/);
  }
  const empty = await unary(client, ToolGatewayService.method.call, create(CallRequestSchema)).result;
  expect(empty.response?.envelope?.error).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(empty.response?.envelope?.error?.message).toContain('names no "tool"');
  expect((await callGrpc(client, asText("t"))).status).toBe("success");
});
