import { toJson } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import { EnvelopeSchema } from "@toolgate/contract";
import { expect } from "vitest";
import { asText, callGrpc, startCall } from "./harness/call.ts";
import { eventually, holds } from "./harness/eventually.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const WEATHER = { data: { temp: 21, weather: "sunny", humidity: 38, station: "ZBAA" } };
const MAPPING = { temperature: "$.data.temp", condition: "$.data.weather" };
const BIG = "1917043659912705296";

verifies("call.grpc.success", async () => {
  const backend = await httpBackend(() => json(WEATHER));
  const gateway = await testGateway({
    tools: {
      "weather/query.yaml": httpTool("weather_query", `${backend.url}/weather`, { response: { mapping: MAPPING } }),
    },
  });
  const envelope = await callGrpc(grpcClient(gateway.grpc), {
    ...asText("weather_query", { city: "Beijing" }),
    callId: "call-1",
  });
  expect(envelope).toMatchObject({
    status: "success",
    tool: "weather_query",
    payload: { case: "dataJson", value: '{"temperature":21,"condition":"sunny"}' },
    meta: {
      callId: "call-1",
      toolset: "weather",
      backend: `http:${backend.url.slice("http://".length)}`,
      attempts: 1,
      cached: false,
      queueMs: 0,
      warnings: [],
    },
  });
  expect(envelope.error).toBeUndefined();
  const { latencyMs = 0, backendMs = 0 } = envelope.meta ?? {};
  expect(backendMs).toBeGreaterThan(0);
  expect(latencyMs).toBeGreaterThanOrEqual(backendMs);
  expect(backend.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /weather?city=Beijing"]);
});

verifies("call.grpc.success", "a capability finds the tool that offers it, and the call gets an id", async () => {
  const backend = await httpBackend();
  const gateway = await testGateway({
    tools: { "search.yaml": httpTool("web_search", backend.url, { capabilities: ["search"] }) },
  });
  const envelope = await callGrpc(grpcClient(gateway.grpc), { target: { case: "capability", value: "search" } });
  expect(envelope).toMatchObject({ status: "success", tool: "web_search" });
  expect(envelope.meta?.callId).toMatch(/^[0-9a-f-]{36}$/);
});

const ECHO = { method: "POST", annotations: { idempotent: true } };

verifies("call.grpc.encoding", "text goes through untouched, both ways", async () => {
  const backend = await httpBackend(({ body }) => ({ headers: { "content-type": "application/json" }, body }));
  const gateway = await testGateway({ tools: { "echo.yaml": httpTool("echo", backend.url, ECHO) } });
  const text = `{"id":${BIG}, "price":5.20, "far":-9223372036854775808}`;
  const envelope = await callGrpc(grpcClient(gateway.grpc), asText("echo", text));
  expect(backend.requests[0]?.body).toBe(text);
  expect(envelope.payload).toEqual({ case: "dataJson", value: text });
  expect(envelope.meta?.warnings).toEqual([]);
});

verifies(
  "call.grpc.encoding",
  "http-08 (anthropics/claude-code#78762): a Struct cannot hold a big integer, so it comes as text and says so",
  async () => {
    const backend = await httpBackend(() => ({ body: `{"Id": ${BIG}, "small": 7}` }));
    const gateway = await testGateway({ tools: { "echo.yaml": httpTool("echo", backend.url) } });
    const envelope = await callGrpc(grpcClient(gateway.grpc), {
      target: { case: "tool", value: "echo" },
      input: { case: "arguments", value: { city: "Beijing" } },
    });
    expect(backend.requests[0]?.url).toBe("/?city=Beijing");
    expect(toJson(EnvelopeSchema, envelope)).toMatchObject({ data: { Id: BIG, small: 7 } });
    expect(envelope.meta?.warnings).toEqual([expect.stringContaining("Integers beyond 2^53 are given as text")]);
  },
);

verifies("call.grpc.deadline", "and an envelope says what is known before the caller stops waiting", async () => {
  const backend = await httpBackend(() => "hang");
  const gateway = await testGateway({ tools: { "slow.yaml": httpTool("slow", backend.url, { timeout: "20s" }) } });
  const deadline = Date.now() + 2_500;
  const envelope = await callGrpc(grpcClient(gateway.grpc), asText("slow"), { options: { deadline } });
  expect(Date.now()).toBeLessThan(deadline);
  expect(envelope.error).toMatchObject({ code: "OUTCOME_UNKNOWN", retryable: false });
  expect(envelope.error?.message).toMatch(/gave no answer within 2\.\d s/);
  await backend.requests[0]?.aborted;
  expect(backend.requests).toHaveLength(1);
});

verifies("call.grpc.deadline", "one that has passed already reaches no backend", async () => {
  const backend = await httpBackend();
  const gateway = await testGateway({ tools: { "slow.yaml": httpTool("slow", backend.url) } });
  const client = grpcClient(gateway.grpc);
  await callGrpc(client, asText("slow"));
  const { error } = await startCall(client, asText("slow"), { options: { deadline: Date.now() - 1_000 } }).result;
  expect(error?.code).toBe(status.DEADLINE_EXCEEDED);
  expect(backend.requests).toHaveLength(1);
});

verifies("call.grpc.cancel", async () => {
  const backend = await httpBackend(() => "hang");
  const gateway = await testGateway({ tools: { "slow.yaml": httpTool("slow", backend.url) } });
  const call = startCall(grpcClient(gateway.grpc), asText("slow"));
  await eventually(() => backend.requests).toHaveLength(1);
  call.cancel();
  expect((await call.result).error?.code).toBe(status.CANCELLED);
  await backend.requests[0]?.aborted;
  await holds(async () => {
    const samples = await readMetrics(gateway.admin);
    expect(total(samples, "toolgate_calls_total", { tool: "slow", outcome: "CANCELLED" })).toBe(1);
    expect(total(samples, "toolgate_calls_in_flight")).toBe(0);
  });
});

verifies("call.unknown-tool", "through gRPC, with near names", async () => {
  const gateway = await testGateway({ tools: { "weather.yaml": clientTool("weather_query") } });
  const envelope = await callGrpc(grpcClient(gateway.grpc), asText("wether-query"));
  expect(envelope).toMatchObject({
    status: "error",
    tool: "wether-query",
    error: { code: "TOOL_NOT_FOUND", class: "argument", retryable: false, nearNames: ["weather_query"] },
    meta: { attempts: 0, toolset: "", backend: "" },
  });
  expect(envelope.error?.message).toContain('Did you mean "weather_query"?');
});

verifies("call.unknown-tool", "security-12 (node-config/node-config#906): names that objects inherit", async () => {
  const gateway = await testGateway({ tools: { "weather.yaml": clientTool("weather_query") } });
  const client = grpcClient(gateway.grpc);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const viaGrpc = await callGrpc(client, asText(name));
    expect(viaGrpc.error).toMatchObject({ code: "TOOL_NOT_FOUND", nearNames: [] });
    const viaHttp = await callHttp(gateway, { tool: name });
    expect([viaHttp.status, viaHttp.envelope.error.code]).toEqual([404, "TOOL_NOT_FOUND"]);
  }
});

verifies("call.mapping", async () => {
  const backend = await httpBackend(() => json(WEATHER));
  const mapping = { ...MAPPING, wind: "$.data.wind" };
  const gateway = await testGateway({
    tools: { "weather.yaml": httpTool("weather", backend.url, { response: { format: "json", mapping } }) },
  });
  const mapped = await gateway.client.call("weather", {});
  expect(mapped).toMatchObject({ data: { temperature: 21, condition: "sunny", wind: null } });
  expect(mapped.meta.warnings).toEqual([expect.stringContaining('"wind" is missing: nothing at $.data.wind')]);

  expect(await gateway.client.call("weather", {}, { raw: true })).toMatchObject({ data: WEATHER });

  const some = await gateway.client.call("weather", {}, { fields: ["condition"] });
  expect(some).toMatchObject({ dataJson: '{"condition":"sunny"}' });
  const deep = await gateway.client.call("weather", {}, { raw: true, fields: ["data.temp", "nothing.here"] });
  expect(deep).toMatchObject({ data: { data: { temp: 21 } } });
  expect(deep.meta.warnings).toEqual([expect.stringContaining('"nothing.here" is not in the result')]);
});

verifies("call.delegated", async () => {
  const params = [
    { name: "note", type: "string", required: true },
    { name: "pin", type: "boolean", default: false },
  ];
  const gateway = await testGateway({ tools: { "memory.yaml": clientTool("memory", { params }) } });
  const delegated = await gateway.client.call("memory", { note: "x" });
  expect(delegated).toMatchObject({ status: "delegated", tool: "memory", data: { note: "x", pin: false } });
  expect(delegated.meta).toMatchObject({ attempts: 0, backend: "" });
  const refused = await gateway.client.call("memory", { note: 5 });
  expect(refused).toMatchObject({ status: "error", error: { code: "INVALID_ARGUMENT" } });

  const viaHttp = await callHttp(gateway, { tool: "memory", params: { note: "y", pin: true } });
  expect(viaHttp.status).toBe(200);
  expect(viaHttp.envelope).toMatchObject({ status: "delegated", data: { note: "y", pin: true } });
});
