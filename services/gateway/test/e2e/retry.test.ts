import { expect } from "vitest";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { httpTool, type ToolFileKeys } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const RETRY = { max_attempts: 3, initial_interval: "1ms", max_interval: "50ms" };
const IDEMPOTENT = { annotations: { idempotent: true } };

async function gatewayWith(endpoint: string, keys: ToolFileKeys) {
  return testGateway({ tools: { "t.yaml": httpTool("t", endpoint, { method: "POST", retry: RETRY, ...keys }) } });
}

verifies("retry.unreachable", async () => {
  const backend = await httpBackend();
  await backend.close();
  const gateway = await gatewayWith(backend.url, {});
  expect(await gateway.client.call("t")).toMatchObject({
    error: { code: "BACKEND_UNREACHABLE" },
    meta: { attempts: 3 },
  });
  expect((await callHttp(gateway, { tool: "t" })).envelope).toMatchObject({
    error: { code: "BACKEND_UNREACHABLE" },
    meta: { attempts: expect.any(Number) },
  });
});

verifies("retry.idempotent", "a lost answer", async () => {
  let asked = 0;
  const backend = await httpBackend(() => {
    asked += 1;
    return asked === 1 ? "drop" : json({ ok: true });
  });
  const gateway = await gatewayWith(backend.url, IDEMPOTENT);
  expect(await gateway.client.call("t")).toMatchObject({ data: { ok: true }, meta: { attempts: 2 } });
});

verifies("retry.idempotent", "a status that the tool names, and no other", async () => {
  for (const [status, keys, attempts] of [
    [503, IDEMPOTENT, 3],
    [500, IDEMPOTENT, 1],
    [503, {}, 1],
  ] as const) {
    const backend = await httpBackend(() => json({}, status));
    const gateway = await gatewayWith(backend.url, { retry: { ...RETRY, retryable_errors: [503] }, ...keys });
    expect(await gateway.client.call("t")).toMatchObject({ error: { code: "TOOL_ERROR" }, meta: { attempts } });
    expect(backend.requests).toHaveLength(attempts);
  }
});

verifies("retry.bounds", "a Retry-After beyond the longest interval is left to the caller", async () => {
  const headers = { "retry-after": "7" };
  const backend = await httpBackend(() => ({ status: 503, headers, body: "" }));
  const gateway = await gatewayWith(backend.url, { retry: { ...RETRY, retryable_errors: [503] }, ...IDEMPOTENT });
  expect(await gateway.client.call("t")).toMatchObject({ error: { retryAfterMs: 7_000 }, meta: { attempts: 1 } });
});

verifies("retry.bounds", "no wait passes the caller's deadline", async () => {
  const backend = await httpBackend(() => "drop");
  const slow = { max_attempts: 3, backoff: "fixed", initial_interval: "30s", max_interval: "30s" };
  const gateway = await gatewayWith(backend.url, { retry: slow, ...IDEMPOTENT });
  const result = await gateway.client.call("t", {}, { timeoutMs: 20_000 });
  expect(result).toMatchObject({ error: { code: "BACKEND_TIMEOUT" }, meta: { attempts: 1 } });
});

verifies("retry.bounds", "a tool that fails all the time is soon tried once a call only", async () => {
  const backend = await httpBackend(() => json({}, 503));
  const gateway = await gatewayWith(backend.url, { retry: { ...RETRY, retryable_errors: [503] }, ...IDEMPOTENT });
  for (let calls = 0; calls < 30; calls += 1) await gateway.client.call("t");
  expect(backend.requests.length).toBeLessThan(30 + 5);
});

const DROPPED_CALLS = 10_000;
const AT_ONCE = 50;

verifies(
  "retry.lost-answers",
  "10,000 lost answers of three kinds of tools",
  async () => {
    const runs = new Map<string, number>();
    const backend = await httpBackend(({ body }) => {
      const { call } = JSON.parse(body) as { call: string };
      runs.set(call, (runs.get(call) ?? 0) + 1);
      return "drop";
    });
    const retry = { ...RETRY, retryable_errors: ["timeout", "connection_error", 502, 503] };
    const params = [{ name: "call", type: "string", required: true }];
    const tool = (name: string, keys: ToolFileKeys) =>
      httpTool(name, backend.url, { method: "POST", params, retry, ...keys });
    const gateway = await testGateway({
      tools: {
        "harmless.yaml": tool("harmless", IDEMPOTENT),
        "unsaid.yaml": tool("unsaid", {}),
        "never.yaml": tool("never", { annotations: { idempotent: false, destructive: true } }),
      },
    });
    const names = ["harmless", "unsaid", "never"] as const;
    const ends = new Map<string, number>();
    let next = 0;
    const caller = async () => {
      while (next < DROPPED_CALLS) {
        const number = next;
        next += 1;
        const name = names[number % names.length] as string;
        const result = await gateway.client.call(name, { call: `${name} ${number}` });
        const end = `${name} ${result.status === "error" ? result.error.code : result.status}`;
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    expect(runs.size).toBe(DROPPED_CALLS);
    const twice = [...runs].filter(([call, count]) => count > 1 && !call.startsWith("harmless "));
    expect(twice).toEqual([]);
    // The retries are real: those that can do no harm were made.
    expect([...runs].some(([call, count]) => count > 1 && call.startsWith("harmless "))).toBe(true);
    expect(Object.fromEntries(ends)).toEqual({
      "harmless BACKEND_TIMEOUT": 3_334,
      "unsaid OUTCOME_UNKNOWN": 3_333,
      "never OUTCOME_UNKNOWN": 3_333,
    });
  },
  120_000,
);
