import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { Metadata, status } from "@grpc/grpc-js";
import {
  AdminService,
  GetStatusRequestSchema,
  ToolGatewayService,
  WatchToolsetsRequestSchema,
} from "@toolgate/contract";
import { expect } from "vitest";
import { asText, callGrpc, startCall } from "./harness/call.ts";
import { testGateway } from "./harness/gateway.ts";
import { bearer, grpcClient, serverStream, unary } from "./harness/grpc-client.ts";
import { httpBackend } from "./harness/http-backend.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const KEYS = { agent: "tgw_agent_key_1", boss: "tgw_boss_key_1", rotated: "tgw_agent_key_2" };
const hash = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex")}`;
const CLIENTS = `clients:
  - id: agent
    key_hashes: ["${hash(KEYS.agent)}", "${hash(KEYS.rotated)}"]
    scopes: [web]
  - id: boss
    key_hashes: ["${hash(KEYS.boss)}"]
    admin: true
`;

async function keyed() {
  const backend = await httpBackend();
  const gateway = await testGateway({
    yaml: CLIENTS,
    apiKey: KEYS.boss,
    tools: {
      "open.yaml": httpTool("open_tool", backend.url),
      "web.yaml": httpTool("web_tool", backend.url, { scopes: ["web"] }),
      "safe.yaml": httpTool("safe_tool", backend.url, { scopes: ["web", "safe"], toolset: "vault" }),
    },
  });
  return { backend, gateway };
}

verifies("identity.keys", async () => {
  const { backend, gateway } = await keyed();
  const client = grpcClient(gateway.grpc);
  for (const metadata of [new Metadata(), bearer("wrong"), bearer("")]) {
    const { error } = await startCall(client, asText("open_tool"), { metadata }).result;
    expect(error?.code).toBe(status.UNAUTHENTICATED);
    expect(error?.details).toContain("authorization: Bearer KEY");
  }
  const stream = serverStream(client, ToolGatewayService.method.watchToolsets, create(WatchToolsetsRequestSchema));
  const code = await new Promise((resolve) => stream.on("error", (error: { code: number }) => resolve(error.code)));
  expect(code).toBe(status.UNAUTHENTICATED);
  for (const path of ["/v1/tools", "/v1/toolsets"]) {
    const response = await fetch(gateway.http + path, { headers: { authorization: "Bearer wrong" } });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="toolgate"');
    expect(await response.json()).toMatchObject({
      status: "error",
      error: { code: "UNAUTHENTICATED", class: "permission" },
    });
  }
  const connect = await fetch(`${gateway.http}/toolgate.v1.ToolGatewayService/ListTools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect(connect.status).toBe(401);
  expect(backend.requests).toHaveLength(0);
  for (const key of [KEYS.agent, KEYS.rotated]) {
    expect((await callGrpc(client, asText("open_tool"), { metadata: bearer(key) })).status).toBe("success");
  }
  expect(gateway.logged()).not.toMatch(/tgw_|wrong/);
});

verifies("identity.scopes", async () => {
  const { backend, gateway } = await keyed();
  const client = grpcClient(gateway.grpc);
  const list = async (key: string) => {
    const response = await fetch(`${gateway.http}/v1/tools`, { headers: { authorization: `Bearer ${key}` } });
    return ((await response.json()) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  expect(await list(KEYS.agent)).toEqual(["open_tool", "web_tool"]);
  expect(await list(KEYS.boss)).toEqual(["open_tool", "safe_tool", "web_tool"]);
  const denied = await callGrpc(client, asText("safe_tool"), { metadata: bearer(KEYS.agent) });
  expect(denied.error).toMatchObject({ code: "PERMISSION_DENIED", class: "permission", retryable: false });
  expect(denied.error?.message).toContain("it lacks safe");
  const near = await callGrpc(client, asText("safe_tol"), { metadata: bearer(KEYS.agent) });
  expect(near.error).toMatchObject({ code: "TOOL_NOT_FOUND", nearNames: [] });
  expect(backend.requests).toHaveLength(0);
  const toolsets = await fetch(`${gateway.http}/v1/toolsets`, { headers: { authorization: `Bearer ${KEYS.agent}` } });
  expect(((await toolsets.json()) as { toolsets: { name: string }[] }).toolsets.map(({ name }) => name)).toEqual([
    "default",
  ]);
});

verifies("identity.admin", async () => {
  const { gateway } = await keyed();
  const client = grpcClient(gateway.grpc);
  const ask = (key: string) =>
    unary(client, AdminService.method.getStatus, create(GetStatusRequestSchema), { metadata: bearer(key) }).result;
  const denied = await ask(KEYS.agent);
  expect(denied.error?.code).toBe(status.PERMISSION_DENIED);
  expect(denied.error?.details).toContain('The client "agent" is not an admin');
  expect((await ask(KEYS.boss)).response).toMatchObject({ state: "ready", tools: 3 });
});

verifies("identity.key-stays", "security-06 (mcpjungle/MCPJungle#252)", async () => {
  const backend = await httpBackend();
  const gateway = await testGateway({
    yaml: CLIENTS,
    tools: {
      "own.yaml": httpTool("own", backend.url, { headers: { authorization: "Bearer the-tools-own" } }),
      "none.yaml": httpTool("none", backend.url),
    },
  });
  const client = grpcClient(gateway.grpc);
  for (const tool of ["own", "none"]) await callGrpc(client, asText(tool), { metadata: bearer(KEYS.boss) });
  await fetch(`${gateway.http}/v1/call`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEYS.boss}` },
    body: '{"tool":"none"}',
  });
  expect(backend.requests.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer the-tools-own",
    undefined,
    undefined,
  ]);
  expect(JSON.stringify(backend.requests)).not.toContain("tgw_");
});

verifies("trace.context", async () => {
  const backend = await httpBackend();
  const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", backend.url) } });
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const metadata = new Metadata();
  metadata.set("traceparent", traceparent);
  metadata.set("tracestate", "vendor=1");
  await callGrpc(grpcClient(gateway.grpc), asText("t"), { metadata });
  const headers = { "content-type": "application/json", traceparent };
  await fetch(`${gateway.http}/v1/call`, { method: "POST", headers, body: '{"tool":"t"}' });
  const malformed = { ...headers, traceparent: "00-nonsense\r\n".trim() };
  await fetch(`${gateway.http}/v1/call`, { method: "POST", headers: malformed, body: '{"tool":"t"}' });
  expect(backend.requests.map((request) => [request.headers.traceparent, request.headers.tracestate])).toEqual([
    [traceparent, "vendor=1"],
    [traceparent, undefined],
    [undefined, undefined],
  ]);
});
