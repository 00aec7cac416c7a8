import { expect } from "vitest";
import { callHttp, type TestGateway, testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { httpTool, type ToolFileKeys } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

/** A gateway with one tool "t"; answers the same call through both doors. */
async function gatewayWith(endpoint: string, keys: ToolFileKeys = {}) {
  const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", endpoint, keys) } });
  return { gateway, both: () => bothDoors(gateway) };
}

async function bothDoors(gateway: TestGateway) {
  const viaGrpc = await gateway.client.call("t");
  const viaHttp = await callHttp(gateway, { tool: "t" });
  if (viaGrpc.status !== "error") return { viaGrpc, viaHttp, error: undefined };
  const { code, class: errorClass, message, retryable, backendAnswer } = viaGrpc.error;
  expect(viaHttp.envelope.error).toMatchObject({ code, class: errorClass, message, retryable });
  expect(viaHttp.envelope.error.backend_answer).toEqual(backendAnswer);
  return { viaGrpc, viaHttp, error: viaGrpc.error };
}

const IDEMPOTENT = { annotations: { idempotent: true } };

verifies("call.backend.unreachable", async () => {
  const backend = await httpBackend();
  await backend.close();
  const { both } = await gatewayWith(backend.url);
  const { viaGrpc, viaHttp, error } = await both();
  expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", class: "network", retryable: true });
  expect(error?.message).toContain("cannot be reached: connection refused. The call was not delivered.");
  expect(viaGrpc.meta.attempts).toBe(1);
  expect(viaHttp.status).toBe(502);
});

verifies("call.backend.timeout", "an idempotent tool", async () => {
  const backend = await httpBackend(() => "hang");
  const { both } = await gatewayWith(backend.url, { timeout: "100ms", ...IDEMPOTENT });
  const { viaHttp, error } = await both();
  expect(error).toMatchObject({ code: "BACKEND_TIMEOUT", retryable: true });
  expect(error?.message).toContain("gave no answer within 100 ms");
  expect(viaHttp.status).toBe(504);
  expect(backend.requests).toHaveLength(2);
});

verifies(
  "call.backend.timeout",
  "ops-07 (databricks-solutions/ai-dev-kit#80): any other tool may have run, so nobody runs it again",
  async () => {
    const backend = await httpBackend(() => "hang");
    const { both } = await gatewayWith(backend.url, { timeout: "100ms", method: "POST", retry: { max_attempts: 3 } });
    const { viaHttp, error } = await both();
    expect(error).toMatchObject({ code: "OUTCOME_UNKNOWN", retryable: false });
    expect(error?.message).toContain("the outcome is unknown");
    expect(viaHttp.status).toBe(502);
    expect(backend.requests).toHaveLength(2);
  },
);

verifies("call.backend.timeout", "a connection that closes before the answer is a lost answer too", async () => {
  const backend = await httpBackend(() => "drop");
  const { both } = await gatewayWith(backend.url);
  const { error } = await both();
  expect(error?.code).toBe("OUTCOME_UNKNOWN");
  expect(error?.message).toContain("closed the connection before it answered");
});

verifies("call.backend.error", async () => {
  const body = { errors: [{ code: 6003, message: "Invalid zone" }] };
  const backend = await httpBackend(() => json(body, 400));
  const { both } = await gatewayWith(backend.url);
  const { viaHttp, error } = await both();
  expect(error).toMatchObject({
    code: "TOOL_ERROR",
    retryable: false,
    backendAnswer: { status: "400", body: JSON.stringify(body) },
  });
  expect(error?.message).toContain("answered 400 Bad Request");
  expect(viaHttp.status).toBe(502);
});

verifies("call.http.status", "429 of a backend, with Retry-After in whole seconds", async () => {
  const backend = await httpBackend(() => ({ status: 429, headers: { "retry-after": "30" }, body: "slow down" }));
  const { both } = await gatewayWith(backend.url);
  const { viaHttp, error } = await both();
  expect(error).toMatchObject({ code: "RATE_LIMITED", class: "rate", retryable: true, retryAfterMs: 30_000 });
  expect([viaHttp.status, viaHttp.headers.get("retry-after")]).toEqual([429, "30"]);
  expect(viaHttp.envelope.error.retry_after_ms).toBe(30_000);
});

verifies("call.backend.not-json", "http-02 (IBM/mcp-context-forge#1599): plain text is the result", async () => {
  const backend = await httpBackend(() => ({ headers: { "content-type": "text/plain" }, body: "ok" }));
  const { both } = await gatewayWith(backend.url);
  const { viaGrpc, viaHttp } = await both();
  expect(viaGrpc).toMatchObject({ status: "success", data: "ok" });
  expect(viaHttp.envelope.data).toBe("ok");
});

verifies("call.backend.not-json", "where JSON was promised, it is an error with the first bytes", async () => {
  const page = `<html>${"x".repeat(5_000)}</html>`;
  const backend = await httpBackend(() => ({ headers: { "content-type": "text/html" }, body: page }));
  const { both } = await gatewayWith(backend.url, { response: { format: "json" } });
  const { viaHttp, error } = await both();
  expect(error?.code).toBe("RESULT_INVALID");
  expect(error?.message).toMatch(/is not JSON: text\/html, beginning with "<html>x+"/);
  expect(error?.message.length).toBeLessThan(250);
  expect(viaHttp.status).toBe(502);
});

verifies(
  "call.backend.not-json",
  "a result that does not fit the output schema is refused, naming the place",
  async () => {
    const backend = await httpBackend(() => json({ temp: "warm" }));
    const output_schema = { type: "object", properties: { temp: { type: "number" } }, required: ["temp"] };
    const { both } = await gatewayWith(backend.url, { output_schema });
    const { error } = await both();
    expect(error?.code).toBe("RESULT_INVALID");
    expect(error?.message).toContain("does not fit its output schema: /temp: expected number");
  },
);

verifies("call.backend.not-json", "an answer beyond the bound is RESULT_TOO_LARGE", async () => {
  const backend = await httpBackend(() => ({ body: JSON.stringify("x".repeat(5_000)) }));
  const { both } = await gatewayWith(backend.url, { response: { max_bytes: "4KiB" } });
  const { viaHttp, error } = await both();
  expect(error?.code).toBe("RESULT_TOO_LARGE");
  expect(error?.message).toContain("larger than the 4096 bytes that are allowed");
  expect(viaHttp.status).toBe(502);
});

verifies("call.internal", async () => {
  const { gateway, both } = await gatewayWith("http://127.0.0.1:9/", { headers: { "x-key": "s3cret-of-the-tool" } });
  // A definition that went bad after it was checked stands for any fault of the gateway's own.
  const settings = gateway.running.snapshot().tools.get("t")?.tool.backend?.settings;
  Object.assign(settings as object, { method: "s3cret-of-the-tool" });
  const { viaGrpc, viaHttp, error } = await both();
  expect(error).toMatchObject({
    code: "INTERNAL",
    class: "tool",
    retryable: false,
    message: "The gateway failed; its log says why under this call_id.",
  });
  expect(viaHttp.status).toBe(500);
  expect(viaHttp.text).not.toMatch(/s3cret|\bat \/|node_modules|\.ts:/);

  const line = gateway
    .logged()
    .split("\n")
    .find((entry) => entry.includes(viaGrpc.meta.callId));
  expect(JSON.parse(line ?? "{}")).toMatchObject({
    level: 50,
    callId: viaGrpc.meta.callId,
    tool: "t",
    code: "INTERNAL",
    msg: "a call failed inside the gateway",
    cause: { type: "Error", message: expect.stringContaining("/backend/settings/method"), stack: expect.any(String) },
  });
  expect(line).not.toContain("s3cret");
});
