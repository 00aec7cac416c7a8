import { createClient as connectClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { type AuditEntry, createClient, type ToolgateClient } from "@toolgate/client";
import { ToolGatewayService } from "@toolgate/contract";
import { expect, onTestFinished } from "vitest";
import { type TestGateway, testGateway } from "./harness/gateway.ts";
import { grpcClient, rpc } from "./harness/grpc-client.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { clientTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const SHA = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"; // of {"a":1}
const INPUT = { input_schema: { type: "object", properties: { a: { type: "integer" } } } };

interface Report {
  readonly callId: string;
  readonly status: string;
  readonly code?: string;
  readonly latencyMs: number;
}

/** Each door's own way to report. */
const DOORS: Readonly<Record<string, (gateway: TestGateway, report: Report) => Promise<boolean>>> = {
  grpc: async ({ grpc }, report) =>
    (await rpc(grpcClient(grpc), ToolGatewayService.method.reportOutcome, report)).known,
  connect: async ({ http }, report) =>
    (
      await connectClient(
        ToolGatewayService,
        createConnectTransport({ baseUrl: http, httpVersion: "1.1" }),
      ).reportOutcome(report)
    ).known,
  "grpc-web": async ({ http }, report) =>
    (
      await connectClient(
        ToolGatewayService,
        createGrpcWebTransport({ baseUrl: http, httpVersion: "1.1" }),
      ).reportOutcome(report)
    ).known,
  http: async ({ http }, { callId, latencyMs, ...rest }) => {
    const { status, body } = await post(http, { call_id: callId, latency_ms: latencyMs, ...rest });
    expect(status).toBe(200);
    return body.known === true;
  },
};

async function post(http: string, body: unknown) {
  const response = await fetch(`${http}/v1/outcome`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { known?: boolean } };
}

async function logOf(client: ToolgateClient, callId: string): Promise<readonly AuditEntry[]> {
  return (await client.readAuditLog({ callId })).entries;
}

for (const [door, report] of Object.entries(DOORS)) {
  verifies("delegated.report", door, async () => {
    const gateway = await testGateway({ tools: { "agent/memory.yaml": clientTool("memory", INPUT) } });
    await gateway.client.call("memory", '{"a":1}', { callId: "c1", sessionId: "s1" });
    await gateway.client.call("memory", '{"a":1}', { callId: "c2" });
    expect(await report(gateway, { callId: "c1", status: "success", latencyMs: 12.5 })).toBe(true);
    expect(await report(gateway, { callId: "c1", status: "success", latencyMs: 12.5 })).toBe(false);
    expect(await report(gateway, { callId: "c2", status: "error", code: "TOOL_ERROR", latencyMs: 1 })).toBe(true);
    expect(await report(gateway, { callId: "other", status: "success", latencyMs: 1 })).toBe(false);
    const common = { tool: "memory", toolset: "agent" };
    expect(await logOf(gateway.client, "c1")).toMatchObject([
      {
        ...common,
        kind: "outcome",
        status: "success",
        code: "",
        latencyMs: 12.5,
        sessionId: "s1",
        door: door.replace(/^grpc-web$/, "connect"),
      },
      { ...common, kind: "call", status: "delegated", argumentsSha256: SHA, attempts: 0 },
    ]);
    expect(await logOf(gateway.client, "c2")).toMatchObject([
      { kind: "outcome", status: "error", code: "TOOL_ERROR" },
      { kind: "call" },
    ]);
    const metrics = await readMetrics(gateway.admin);
    const counted = (outcome: string) => total(metrics, "toolgate_outcomes_reported_total", { outcome });
    expect([counted("success"), counted("error"), counted("unknown")]).toEqual([1, 1, 2]);
  });
}

verifies("delegated.report", "what is not whole is refused, and uses nothing up", async () => {
  const gateway = await testGateway({ tools: { "memory.yaml": clientTool("memory") } });
  await gateway.client.call("memory", {}, { callId: "c1" });
  for (const [body, words] of [
    ["", "The body is empty"],
    ["{", "The body cannot be read"],
    [{ call_id: "c1", state: "success" }, 'cannot decode it from JSON: key "state" is unknown'],
    [{ status: "success" }, "call_id is missing"],
    [{ call_id: "c1", status: "done" }, 'status must be "success" or "error"'],
    [{ call_id: "c1", status: "success", code: "X" }, "code must be empty"],
    [{ call_id: "c1", status: "error", code: "no such\ncode" }, "code must be 1 to 64 characters"],
    [{ call_id: "c1", status: "success", latency_ms: "soon" }, "cannot decode field latency_ms from JSON"],
    [{ call_id: "c1", status: "success", latency_ms: -1 }, "latency_ms must be 0 or more"],
    [{ call_id: "c1", status: "success", latency_ms: "NaN" }, "latency_ms must be 0 or more"],
  ] as const) {
    const { status, body: answer } = await post(gateway.http, body);
    expect(status).toBe(400);
    expect(answer).toMatchObject({ error: { code: "INVALID_ARGUMENT", message: expect.stringContaining(words) } });
  }
  expect(await gateway.client.reportOutcome({ callId: "c1", status: "success", latencyMs: 0 })).toBe(true);
});

verifies("delegated.client", async () => {
  const gateway = await testGateway({
    tools: { "memory.yaml": clientTool("memory"), "broken.yaml": clientTool("broken"), "own.yaml": clientTool("own") },
  });
  const handlers = {
    memory: () => ({ saved: true }),
    broken: () => Promise.reject(new Error("disk full")),
  };
  const client = createClient({ address: gateway.grpc, handlers });
  const silent = createClient({ address: gateway.grpc, handlers, reportOutcomes: false });
  onTestFinished(() => silent.close());
  await client.call("memory", {}, { callId: "good" });
  await client.call("broken", {}, { callId: "bad" });
  await client.call("own", {}, { callId: "none" });
  // A program may end right after its last result.
  client.close();
  await silent.call("memory", {}, { callId: "quiet" });
  expect(await logOf(gateway.client, "good")).toMatchObject([{ kind: "outcome", status: "success" }, { kind: "call" }]);
  expect(await logOf(gateway.client, "bad")).toMatchObject([{ kind: "outcome", code: "TOOL_ERROR" }, { kind: "call" }]);
  for (const callId of ["none", "quiet"]) expect(await logOf(gateway.client, callId)).toMatchObject([{ kind: "call" }]);
  expect(
    await gateway.client.reportOutcome({ callId: "none", status: "error", code: "TOOL_ERROR", latencyMs: 3 }),
  ).toBe(true);
});
