import { expect } from "vitest";
import { eventually, holds } from "./harness/eventually.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const BIG = "1917043659912705296";

verifies("call.http.success", async () => {
  const backend = await httpBackend(() => json({ data: { temp: 21 } }));
  const tool = httpTool("weather_query", backend.url, { response: { mapping: { temperature: "$.data.temp" } } });
  const gateway = await testGateway({ tools: { "weather.yaml": tool } });
  const viaGrpc = await gateway.client.call("weather_query", { city: "Beijing" }, { callId: "same" });
  for (const path of ["/v1/call", "/call"]) {
    const response = await fetch(gateway.http + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"tool":"weather_query","params":{"city":"Beijing"},"call_id":"same"}',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const envelope = (await response.json()) as { meta: Record<string, unknown> };
    const { latencyMs: _latency, backendMs: _backend, ...meta } = viaGrpc.meta;
    expect(envelope).toEqual({
      status: "success",
      tool: "weather_query",
      data: { temperature: 21 },
      meta: {
        call_id: "same",
        latency_ms: expect.any(Number),
        queue_ms: 0,
        backend_ms: expect.any(Number),
        cached: meta.cached,
        attempts: meta.attempts,
        toolset: meta.toolset,
        backend: meta.backend,
        warnings: [],
        truncated: false,
        limits: [],
      },
    });
  }
  expect(backend.requests.map(({ url }) => url)).toEqual(Array(3).fill("/?city=Beijing"));
});

verifies("call.http.success", "http-08 (anthropics/claude-code#78762): every digit goes in and comes out", async () => {
  const backend = await httpBackend(({ body }) => ({ body }));
  const gateway = await testGateway({ tools: { "echo.yaml": httpTool("echo", backend.url, { method: "POST" }) } });
  const { text } = await callHttp(gateway, `{"tool":"echo","params":{"Id":${BIG}}}`);
  expect(backend.requests[0]?.body).toBe(`{"Id":${BIG}}`);
  expect(text).toContain(`"data":{"Id":${BIG}},`);
});

verifies("call.http.success", "raw, fields and session_id mean what they mean in gRPC", async () => {
  const backend = await httpBackend(() => json({ a: 1, b: { c: 2, d: 3 } }));
  const tool = httpTool("t", backend.url, { response: { mapping: { first: "$.a" } } });
  const gateway = await testGateway({ tools: { "t.yaml": tool } });
  const { envelope } = await callHttp(gateway, { tool: "t", raw: true, fields: ["b.c"], session_id: "s" });
  expect(envelope.data).toEqual({ b: { c: 2 } });
});

verifies("call.http.status", "of the error table, for each way in which a call can be refused", async () => {
  const params = [{ name: "n", type: "integer", required: true }];
  const gateway = await testGateway({
    tools: {
      "t.yaml": clientTool("t", { params }),
      "off.yaml": clientTool("off", { enabled: false }),
    },
  });
  const answers = [
    { body: { tool: "t", params: { n: 1 } }, status: 200, code: undefined },
    { body: { tool: "t", params: { n: "x" } }, status: 400, code: "INVALID_ARGUMENT" },
    { body: { tool: "nothing" }, status: 404, code: "TOOL_NOT_FOUND" },
    { body: { pipeline: "nothing" }, status: 404, code: "TOOL_NOT_FOUND" },
    { body: { tool: "off" }, status: 503, code: "TOOL_UNAVAILABLE" },
    { body: {}, status: 400, code: "INVALID_ARGUMENT" },
    { body: { tool: "t", call_id: "x".repeat(129) }, status: 400, code: "INVALID_ARGUMENT" },
  ];
  for (const { body, status, code } of answers) {
    const answer = await callHttp(gateway, body);
    expect([answer.status, answer.envelope.error?.code], JSON.stringify(body)).toEqual([status, code]);
  }
});

verifies("call.http.cancel", async () => {
  const backend = await httpBackend(() => "hang");
  const gateway = await testGateway({ tools: { "slow.yaml": httpTool("slow", backend.url) } });
  const controller = new AbortController();
  const call = callHttp(gateway, { tool: "slow" }, { signal: controller.signal });
  await eventually(() => backend.requests.length).toBe(1);
  controller.abort();
  await expect(call).rejects.toThrow("aborted");
  await backend.requests[0]?.aborted;
  await holds(async () => {
    const samples = await readMetrics(gateway.admin);
    expect(total(samples, "toolgate_calls_total", { tool: "slow", outcome: "CANCELLED" })).toBe(1);
  });
});

verifies("call.http.cancel", "the header connect-timeout-ms bounds the call", async () => {
  const backend = await httpBackend(() => "hang");
  const gateway = await testGateway({ tools: { "slow.yaml": httpTool("slow", backend.url) } });
  const call = (ms: string) =>
    callHttp(gateway, { tool: "slow" }, { headers: { "content-type": "application/json", "connect-timeout-ms": ms } });
  const { status, envelope } = await call("120");
  expect([status, envelope.error.code]).toEqual([502, "OUTCOME_UNKNOWN"]);
  expect(envelope.error.message).toMatch(/within 1[0-2]\d ms/);
  await backend.requests[0]?.aborted;
  const wrong = await call("soon");
  expect([wrong.status, wrong.envelope.error.code]).toEqual([400, "INVALID_ARGUMENT"]);
  expect(wrong.envelope.error.message).toContain('"connect-timeout-ms"');
});
