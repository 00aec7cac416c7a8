import { create } from "@bufbuild/protobuf";
import { ListToolsRequestSchema, ToolGatewayService } from "@toolgate/contract";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { expect } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { eventually } from "./harness/eventually.ts";
import { callHttp, type TestGatewayOptions, testGateway } from "./harness/gateway.ts";
import { bearer, grpcClient, unary } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { keyedClients, keyOf } from "./harness/keys.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { httpTool } from "./harness/tool-file.ts";
import { Watcher } from "./harness/watcher.ts";
import { verifies } from "./verifies.ts";

/** A gateway whose time stands still, with the tools "search" and "other", and calls through both doors. */
async function limited(limits: Record<string, unknown>, { yaml = "" }: Pick<TestGatewayOptions, "yaml"> = {}) {
  const clock = createFakeClock();
  const backend = await httpBackend(({ url }) => (url === "/?fail=yes" ? json({}, 500) : json({ ok: true })));
  const schema = { type: "object", properties: { fail: { type: "string" } }, additionalProperties: false };
  const tools = {
    "search.yaml": httpTool("search", backend.url, { capabilities: ["find"], input_schema: schema, ...limits }),
    "other.yaml": httpTool("other", backend.url),
  };
  const gateway = await testGateway({ tools, yaml, clock });
  const client = grpcClient(gateway.grpc);
  const viaGrpc = async (tool = "search", caller?: string) => {
    const init = caller === undefined ? {} : { metadata: bearer(keyOf(caller)) };
    return (await callGrpc(client, asText(tool), init)).error?.code ?? "ok";
  };
  const times = async (count: number, tool = "search", caller?: string) => {
    const codes: string[] = [];
    for (let i = 0; i < count; i++) codes.push(await viaGrpc(tool, caller));
    return codes;
  };
  return { clock, backend, gateway, client, viaGrpc, times };
}

verifies(
  "limits.rate",
  "row 50 (grpc-ecosystem/grpc-gateway#431): both doors say the same, and the wait is exact",
  async () => {
    const { clock, gateway, client, times } = await limited({ rate_limit: "10/min" });
    expect(await times(10)).toEqual(Array(10).fill("ok"));
    clock.advance(799);
    const { error } = await callGrpc(client, asText("search"));
    expect(error).toMatchObject({ code: "RATE_LIMITED", class: "rate", retryable: true, retryAfterMs: 5_201 });
    expect(error?.message).toBe('The limit "tool.search.rate" (10 calls in 60 s) is used up. Try again in 5.3 s.');
    const { status, headers, envelope } = await callHttp(gateway, { tool: "search" });
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("6");
    expect(envelope.error).toMatchObject({ code: "RATE_LIMITED", class: "rate", retry_after_ms: 5_201 });
    clock.advance(5_200);
    expect(await times(1)).toEqual(["RATE_LIMITED"]);
    clock.advance(1);
    expect(await times(2)).toEqual(["ok", "RATE_LIMITED"]);
  },
);

verifies("limits.rate", "row 44 (envoyproxy/ratelimit#269): no second budget at the edge of a second", async () => {
  const { clock, times } = await limited({ limits: { max_qps: 10 } });
  clock.advance(900);
  expect(await times(10)).toEqual(Array(10).fill("ok"));
  clock.advance(200);
  // What came back in 0.2 s.
  expect(await times(10)).toEqual(["ok", "ok", ...Array(8).fill("RATE_LIMITED")]);
});

verifies("limits.rate", "row 44: with a burst of one there are never more calls in a second than it says", async () => {
  const { clock, times } = await limited({ limits: { max_qps: 10, burst: 1 } });
  let passed = 0;
  for (let ms = 0; ms < 1_000; ms += 20) {
    passed += (await times(1)).filter((code) => code === "ok").length;
    clock.advance(20);
  }
  expect(passed).toBe(10);
});

const TWO = ["ok", "ok", "RATE_LIMITED"];
const EACH_LEVEL: readonly [where: string, limits: Record<string, unknown>, yaml: string, other: string][] = [
  ["global.rate", {}, "rate_limits: { global: { rate: 2/min } }\n", "RATE_LIMITED"],
  ["global.max_qps", {}, "rate_limits: { global: { max_qps: 2 } }\n", "RATE_LIMITED"],
  ["tool.search.rate", {}, "rate_limits: { per_tool: { search: { rate: 2/min } } }\n", "ok"],
  ["tool.search.max_qps", { rate_limit: "9/s" }, "rate_limits: { per_tool: { search: { max_qps: 2 } } }\n", "ok"],
  ["tool.search.rate", { rate_limit: "2/min" }, "", "ok"],
  ["tool.search.rate", { limits: { rate: "2/min" } }, "", "ok"],
  ["tool.search.max_qps", { limits: { max_qps: 2 } }, "", "ok"],
  ["tool.search.rate", { limits: { rate: "60/min", burst: 2 } }, "", "ok"],
  ["client.rate", {}, "rate_limits: { per_client: { rate: 2/min } }\n", "RATE_LIMITED"],
  ["client.max_qps", {}, "rate_limits: { per_client: { max_qps: 2 } }\n", "RATE_LIMITED"],
];
for (const [name, limits, yaml, other] of EACH_LEVEL) {
  verifies("limits.levels", `${name}, of ${JSON.stringify(limits)} and ${JSON.stringify(yaml)}`, async () => {
    const { gateway, times } = await limited(limits, { yaml });
    expect(await times(3)).toEqual(TWO);
    const { envelope } = await callHttp(gateway, { tool: "search" });
    expect(envelope.error.message).toContain(`"${name}"`);
    expect(await times(1, "other")).toEqual([other]);
  });
}

verifies("limits.levels", "each client by itself, and one client as it alone is told", async () => {
  const yaml = `rate_limits: { per_client: { rate: 2/min } }\n${keyedClients({ ann: "", bob: "", job: "limits: { rate: 1/min }" })}`;
  const { times } = await limited({}, { yaml });
  expect(await times(3, "search", "ann")).toEqual(TWO);
  expect(await times(3, "other", "bob")).toEqual(TWO);
  expect(await times(2, "search", "job")).toEqual(["ok", "RATE_LIMITED"]);
});

verifies("limits.refused", "limits-04 (BerriAI/litellm#39309)", async () => {
  const yaml = "rate_limits: { global: { rate: 5/hour } }\n";
  const { backend, times } = await limited({ rate_limit: "2/hour" }, { yaml });
  expect(await times(10)).toEqual(["ok", "ok", ...Array(8).fill("RATE_LIMITED")]);
  expect(await times(4, "other")).toEqual(["ok", "ok", "ok", "RATE_LIMITED"]);
  expect(backend.requests).toHaveLength(5);
});

verifies("limits.one-unit", "row 43 (IBM/mcp-context-forge#4557), row 47 (stacklok/toolhive#4552)", async () => {
  const { backend, gateway, client, viaGrpc } = await limited({ rate_limit: "5/hour" });
  const left = async () => (await callHttp(gateway, { tool: "search" })).envelope.meta.limits;
  expect(await viaGrpc()).toBe("ok");
  await callGrpc(client, { target: { case: "capability", value: "find" } });
  await callGrpc(client, asText("search", { fail: "yes" }));
  expect(await left()).toMatchObject([{ name: "tool.search.rate", limit: 5, remaining: 1 }]);
  expect(await viaGrpc()).toBe("ok");
  const { error } = await callGrpc(client, { target: { case: "capability", value: "find" } });
  expect(error?.code).toBe("RATE_LIMITED");
  expect(backend.requests).toHaveLength(5);
});

verifies(
  "limits.free",
  "row 49 (superset-sh/superset PR #2902): fifty lists, and the whole budget is there",
  async () => {
    const yaml = "rate_limits: { global: { rate: 2/hour }, per_client: { rate: 2/hour } }\n";
    const { gateway, client, times } = await limited({}, { yaml });
    for (let i = 0; i < 50; i++) {
      const { error } = await unary(client, ToolGatewayService.method.listTools, create(ListToolsRequestSchema)).result;
      expect(error).toBeNull();
      expect((await fetch(`${gateway.http}/v1/tools`)).status).toBe(200);
    }
    const watcher = new Watcher(client);
    await eventually(() => watcher.isSynced).toBe(true);
    expect((await callGrpc(client, asText("search", { stray: 1 }))).error?.code).toBe("INVALID_ARGUMENT");
    expect((await callGrpc(client, asText("serch"))).error?.code).toBe("TOOL_NOT_FOUND");
    expect(await times(3)).toEqual(TWO);
  },
);

verifies("limits.left", async () => {
  const yaml = "rate_limits: { global: { max_concurrent: 7 }, per_client: { max_qps: 2 } }\n";
  const { gateway, client } = await limited({ rate_limit: "10/min" }, { yaml });
  const first = await callHttp(gateway, { tool: "search" });
  expect(first.envelope.meta.limits).toEqual([
    { name: "global.max_concurrent", limit: 7, remaining: 6, reset_ms: 0, window_ms: 0 },
    { name: "tool.search.rate", limit: 10, remaining: 9, reset_ms: 6_000, window_ms: 60_000 },
    { name: "client.max_qps", limit: 2, remaining: 1, reset_ms: 500, window_ms: 1_000 },
  ]);
  expect(first.headers.get("ratelimit-policy")).toBe('"tool.search.rate";q=10;w=60, "client.max_qps";q=2;w=1');
  expect(first.headers.get("ratelimit")).toBe('"tool.search.rate";r=9;t=6, "client.max_qps";r=1;t=1');
  const second = await callGrpc(client, asText("search"));
  expect(second.meta?.limits[1]).toMatchObject({ name: "tool.search.rate", remaining: 8, resetMs: 12_000 });
  const refused = await callHttp(gateway, { tool: "search" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("ratelimit")).toBe('"tool.search.rate";r=8;t=12, "client.max_qps";r=0;t=1');
  const unlimited = await (await limited({})).gateway.client.call("other");
  expect(unlimited.meta.limits).toEqual([]);
});

verifies("limits.shadow", async () => {
  const yaml = "rate_limits: { global: { max_qps: 1, shadow: true } }\n";
  const { gateway, times } = await limited({ limits: { rate: "2/hour" } }, { yaml });
  expect(await times(2)).toEqual(["ok", "ok"]);
  const { envelope, headers } = await callHttp(gateway, { tool: "other" });
  expect([envelope.status, envelope.meta.limits, headers.get("ratelimit")]).toEqual(["success", [], null]);
  expect(await times(1)).toEqual(["RATE_LIMITED"]);
  const samples = await readMetrics(gateway.admin);
  const count = (labels: Record<string, string>) => total(samples, "toolgate_limit_decisions_total", labels);
  expect(count({ limit: "global.max_qps", tool: "search", decision: "admitted" })).toBe(1);
  expect(count({ limit: "global.max_qps", decision: "shadow" })).toBe(2);
  expect(count({ limit: "tool.rate", tool: "search", decision: "admitted" })).toBe(2);
  expect(count({ limit: "tool.rate", tool: "search", decision: "refused" })).toBe(1);
  expect(count({ limit: "global.max_qps", decision: "refused" })).toBe(0);
  expect(gateway.logged()).toMatch(/"limit":"global\.max_qps".*"a limit in shadow would have refused calls"/);
});
