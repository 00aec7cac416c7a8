import { createHash } from "node:crypto";
import { CacheControl } from "@toolgate/contract";
import { expect } from "vitest";
import { asText, callGrpc, startCall } from "./harness/call.ts";
import { eventually } from "./harness/eventually.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { bearer, grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const READS = { annotations: { read_only: true } };

/** A backend that counts, and a gateway with these cache settings before it. */
async function counting(yaml: string, keys: Readonly<Record<string, unknown>> = READS) {
  let served = 0;
  const backend = await httpBackend(() => {
    served += 1;
    return json({ served });
  });
  const gateway = await testGateway({ yaml, tools: { "t.yaml": httpTool("count", `${backend.url}/c`, keys) } });
  return { backend, gateway, grpc: grpcClient(gateway.grpc) };
}

verifies("cache.hit", "through both doors and in both encodings, with its age", async () => {
  const { backend, gateway, grpc } = await counting("cache: { enabled: true, default_ttl: 60s }\n");
  const first = await callGrpc(grpc, asText("count", { city: "Beijing", days: 3 }));
  expect(first.meta).toMatchObject({ cached: false, attempts: 1 });
  expect(first.meta?.cacheAgeMs).toBeUndefined();
  const again = await callGrpc(grpc, asText("count", { days: 3, city: "Beijing" }));
  expect(again).toMatchObject({ payload: { case: "dataJson", value: '{"served":1}' } });
  expect(again.meta).toMatchObject({ cached: true, attempts: 0, backendMs: 0 });
  expect(again.meta?.cacheAgeMs).toBeGreaterThanOrEqual(0);
  const asValue = await callGrpc(grpc, {
    target: { case: "tool", value: "count" },
    input: { case: "arguments", value: { city: "Beijing", days: 3 } },
  });
  expect(asValue.payload.case).toBe("data");
  const { envelope } = await callHttp(gateway, { tool: "count", params: { city: "Beijing", days: 3 } });
  expect(envelope).toMatchObject({ data: { served: 1 }, meta: { cached: true, cache_age_ms: expect.any(Number) } });
  expect(backend.requests).toHaveLength(1);
  await callGrpc(grpc, asText("count", { city: "Beijing", days: 4 }));
  expect(backend.requests).toHaveLength(2);
});

verifies("cache.hit", "as the second article's rules say, also for a tool that says nothing of itself", async () => {
  const rules = "cache:\n  enabled: true\n  default_ttl: 60s\n  rules:\n    - tool: count\n      ttl: 600s\n";
  const { backend, grpc } = await counting(rules, {});
  await callGrpc(grpc, asText("count"));
  expect((await callGrpc(grpc, asText("count"))).meta?.cached).toBe(true);
  expect(backend.requests).toHaveLength(1);
});

verifies("cache.never", "for a tool that says nothing, for ttl 0, and where the cache is off", async () => {
  const never = [
    ["cache: { default_ttl: 60s }\n", {}],
    ["cache: { default_ttl: 60s, rules: [{ tool: count, ttl: 0s }] }\n", READS],
    ["cache: { enabled: false, default_ttl: 60s }\n", { ...READS, cache: { ttl: "60s" } }],
    ["cache: { rules: [{ tool: count, ttl: 60s }] }\n", { annotations: { destructive: true } }],
  ] as const;
  for (const [yaml, keys] of never) {
    const { backend, grpc } = await counting(yaml, keys);
    for (let i = 0; i < 2; i += 1) expect((await callGrpc(grpc, asText("count"))).meta?.cached).toBe(false);
    expect(backend.requests, yaml).toHaveLength(2);
  }
});

verifies("cache.never", "for an error, and for calls that say bypass; refresh makes it new", async () => {
  const { backend, grpc } = await counting("", { ...READS, cache: { ttl: "60s" } });
  const serve = backend.script;
  backend.script = () => json({ error: "busy" }, 500);
  expect((await callGrpc(grpc, asText("count"))).error?.code).toBe("TOOL_ERROR");
  backend.script = serve;
  const say = async (cache?: CacheControl) => {
    const { payload, meta } = await callGrpc(grpc, { ...asText("count"), ...(cache === undefined ? {} : { cache }) });
    return [payload.value, meta?.cached];
  };
  expect(await say()).toEqual(['{"served":1}', false]);
  expect(await say(CacheControl.BYPASS)).toEqual(['{"served":2}', false]);
  expect(await say()).toEqual(['{"served":1}', true]);
  expect(await say(CacheControl.REFRESH)).toEqual(['{"served":3}', false]);
  expect(await say()).toEqual(['{"served":3}', true]);
});

verifies("cache.shared-call", "(cache-03, alookai/alook#157) fifty at once on a cold key are one call", async () => {
  const { backend, gateway, grpc } = await counting("cache: { default_ttl: 60s }\n");
  let answer: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  backend.script = async () => {
    await held;
    return json({ served: "once" });
  };
  // The first one goes away while the others wait: they do not notice.
  const leaver = startCall(grpc, asText("count"));
  await eventually(() => expect(backend.requests).toHaveLength(1));
  const calls = Array.from({ length: 50 }, () => callGrpc(grpc, asText("count")));
  await eventually(async () =>
    expect(total(await readMetrics(gateway.admin), "toolgate_cache_requests_total", { result: "shared" })).toBe(50),
  );
  leaver.cancel();
  await leaver.result;
  answer();
  for (const envelope of await Promise.all(calls)) expect(envelope.payload.value).toBe('{"served":"once"}');
  expect(backend.requests).toHaveLength(1);
});

const KEYS = { ann: "ann-key", bob: "bob-key" };
const hash = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex")}`;
const CLIENTS = `clients:
  - { id: ann, key_hashes: ["${hash(KEYS.ann)}"], scopes: [web] }
  - { id: bob, key_hashes: ["${hash(KEYS.bob)}"], scopes: [web] }
  - { id: eve, key_hashes: ["${hash("eve-key")}"], scopes: [] }
`;

async function keyed(cache: string, keys: Readonly<Record<string, unknown>>) {
  const backend = await httpBackend();
  const gateway = await testGateway({
    yaml: `${CLIENTS}cache: ${cache}\n`,
    apiKey: KEYS.ann,
    tools: { "t.yaml": httpTool("t", backend.url, { ...READS, scopes: ["web"], ...keys }) },
  });
  const grpc = grpcClient(gateway.grpc);
  return { backend, ask: (key: string) => callGrpc(grpc, asText("t"), { metadata: bearer(key) }) };
}

verifies("cache.private", "(cache-01, agno-agi/agno#9380) where credentials reach the backend", async () => {
  const { backend, ask } = await keyed("{ default_ttl: 60s }", { headers: { authorization: "Bearer upstream" } });
  await ask(KEYS.ann);
  expect((await ask(KEYS.bob)).meta?.cached).toBe(false);
  expect((await ask(KEYS.ann)).meta?.cached).toBe(true);
  expect(backend.requests).toHaveLength(2);
});

verifies("cache.private", "unless the operator says that callers may share", async () => {
  const rules = "{ rules: [{ tool: t, ttl: 60s, shared: true }] }";
  const { backend, ask } = await keyed(rules, { headers: { authorization: "Bearer upstream" } });
  await ask(KEYS.ann);
  expect((await ask(KEYS.bob)).meta?.cached).toBe(true);
  expect(backend.requests).toHaveLength(1);
});

verifies("cache.permission-first", "(PrefectHQ/fastmcp#4037) who may not call gets no kept result", async () => {
  const { ask } = await keyed("{ default_ttl: 60s }", {});
  await ask(KEYS.ann);
  expect((await ask(KEYS.bob)).meta?.cached).toBe(true);
  const denied = await ask("eve-key");
  expect(denied.status).toBe("error");
  expect(denied.error?.class).toMatch(/permission|argument/);
});

verifies("cache.private", "whatever the backend says of its own answer (modelcontextprotocol#3207)", async () => {
  const { backend, ask } = await keyed("{ default_ttl: 60s }", { headers: { authorization: "Bearer upstream" } });
  backend.script = () => ({
    headers: { "content-type": "application/json", "cache-control": "public, max-age=999999" },
    body: '{"for":"ann"}',
  });
  await ask(KEYS.ann);
  expect((await ask(KEYS.bob)).meta?.cached).toBe(false);
});
