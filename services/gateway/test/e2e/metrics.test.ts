import { expect } from "vitest";
import { METRICS } from "../../src/telemetry/names.ts";
import { asText, callGrpc } from "./harness/call.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

verifies("metrics.calls", async () => {
  const backend = await httpBackend(({ url }) => json({}, url === "/bad" ? 500 : 200));
  const gateway = await testGateway({
    tools: {
      "good.yaml": httpTool("good", `${backend.url}/good`, { toolset: "web" }),
      "bad.yaml": httpTool("bad", `${backend.url}/bad`),
    },
  });
  for (let i = 0; i < 3; i++) await gateway.client.call("good");
  await callHttp(gateway, { tool: "bad" });
  await gateway.client.call("good", { stray: 1, params: 2 });
  const samples = await readMetrics(gateway.admin);
  const name = `http:${backend.url.slice("http://".length)}`;
  expect(
    total(samples, "toolgate_calls_total", { tool: "good", toolset: "web", backend: name, outcome: "success" }),
  ).toBe(4);
  expect(total(samples, "toolgate_calls_total", { tool: "bad", outcome: "TOOL_ERROR" })).toBe(1);
  expect(total(samples, "toolgate_call_duration_seconds_count", { toolset: "web", outcome: "success" })).toBe(4);
  expect(total(samples, "toolgate_backend_duration_seconds_count", { backend: name })).toBe(5);
  expect(total(samples, "toolgate_calls_in_flight")).toBe(0);
  const unary = { grpc_type: "unary", grpc_service: "toolgate.v1.ToolGatewayService", grpc_method: "Call" };
  expect(total(samples, "grpc_server_handled_total", { ...unary, grpc_code: "OK" })).toBe(4);
  expect(total(samples, "grpc_server_started_total", unary)).toBe(4);
});

verifies("metrics.bounded", async () => {
  const gateway = await testGateway();
  const client = grpcClient(gateway.grpc);
  const before = (await readMetrics(gateway.admin)).length;
  const calls = Array.from({ length: 1_000 }, (_, i) =>
    callGrpc(client, { ...asText(`invented_${i}`), callId: `call-${i}`, sessionId: `s${i}` }),
  );
  for (const envelope of await Promise.all(calls)) expect(envelope.error?.code).toBe("TOOL_NOT_FOUND");
  const samples = await readMetrics(gateway.admin);
  expect(total(samples, "toolgate_calls_total", { tool: "", outcome: "TOOL_NOT_FOUND" })).toBe(1_000);
  // One more outcome, one more histogram, one more rpc, and nothing for each call.
  expect(samples.length - before).toBeLessThan(100);
  expect(
    samples.flatMap(({ labels }) => Object.values(labels)).filter((value) => /invented|call-|^s\d/.test(value)),
  ).toEqual([]);
});

const READ = { annotations: { read_only: true } };

verifies("metrics.names", async () => {
  const backend = await httpBackend();
  const list = { ...READ, params: [{ name: "ids", type: "array" }], batch: { param: "ids", max_items: 2 } };
  const gateway = await testGateway({
    tools: {
      "good.yaml": httpTool("good", backend.url, { ...READ, rate_limit: "9/s", cache: { ttl: "1s" } }),
      "list.yaml": httpTool("list", backend.url, list),
    },
  });
  await Promise.all([1, 2].map((id) => gateway.client.call("list", { ids: [id] })));
  // The third one in a row is a loop.
  for (let i = 0; i < 3; i++) await gateway.client.call("good", {}, { sessionId: "s" });
  const text = await (await fetch(`${gateway.admin}/metrics`)).text();
  const exposed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({ name, type }));
  for (const [name, { type }] of Object.entries(METRICS)) expect(exposed).toContainEqual({ name, type });
  const samples = await readMetrics(gateway.admin);
  for (const name of Object.keys(METRICS))
    expect(
      samples.some((sample) => sample.name.startsWith(name)),
      name,
    ).toBe(true);
});
