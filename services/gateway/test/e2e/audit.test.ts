import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createClient as connectClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type AuditEntry, createClient, type ToolgateClient } from "@toolgate/client";
import { Execution, ToolGatewayService } from "@toolgate/contract";
import { expect, onTestFinished } from "vitest";
import { asText, callGrpc, startCall } from "./harness/call.ts";
import { eventually } from "./harness/eventually.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { bearer, grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const KEYS = { agent: "tgw_agent_key_1", boss: "tgw_boss_key_1" };
const CLIENTS = `clients:
  - id: agent
    key_hashes: ["sha256:${sha256(KEYS.agent)}"]
    scopes: [web]
  - id: boss
    key_hashes: ["sha256:${sha256(KEYS.boss)}"]
    admin: true
`;

/** The whole log, oldest first. */
async function logOf(client: ToolgateClient): Promise<AuditEntry[]> {
  return [...(await client.readAuditLog({}, { pageSize: 1_000 })).entries].reverse();
}

/** What a call must leave, whichever way it came. */
const what = ({ kind, caller, tool, status, code }: AuditEntry) => [kind, caller, tool, code || status].join(" ");

verifies("audit.calls", "however it ended", async () => {
  const backend = await httpBackend(({ url }) =>
    url === "/bad" ? json({ why: "no" }, 500) : url === "/hang" ? "hang" : json({ ok: 1 }),
  );
  const gateway = await testGateway({
    yaml: CLIENTS,
    apiKey: KEYS.boss,
    tools: {
      "web/good.yaml": httpTool("good", `${backend.url}/good`, {
        scopes: ["web"],
        input_schema: { type: "object", properties: { n: { type: "integer" } } },
      }),
      "bad.yaml": httpTool("bad", `${backend.url}/bad`),
      "hang.yaml": httpTool("hang", `${backend.url}/hang`),
      "secret.yaml": httpTool("secret", backend.url, { scopes: ["vault"] }),
      "mine.yaml": clientTool("mine"),
    },
  });
  await gateway.client.setToolEnabled("secret", true);
  const grpc = grpcClient(gateway.grpc);
  const metadata = bearer(KEYS.agent);
  const call = (tool: string, args: unknown = {}) =>
    callGrpc(grpc, { ...asText(tool, args), callId: tool || "none" }, { metadata });
  await call("good", { n: 1 });
  await call("bad");
  await call("nowhere");
  await call("secret");
  await call("good", { n: "x" });
  await call("good", "not json");
  await call("mine", { a: 1 });
  await callGrpc(grpc, { sessionId: "s".repeat(500) }, { metadata });
  await gateway.client.setToolEnabled("bad", false);
  await call("bad");
  const cancelled = startCall(grpc, asText("hang"), { metadata });
  await eventually(() => backend.requests.filter(({ url }) => url === "/hang").length).toBe(1);
  cancelled.cancel();
  await eventually(async () =>
    (await logOf(gateway.client)).map(what).filter((line) => line.startsWith("call")),
  ).toEqual([
    "call agent good success",
    "call agent bad TOOL_ERROR",
    "call agent nowhere TOOL_NOT_FOUND",
    "call agent secret PERMISSION_DENIED",
    "call agent good INVALID_ARGUMENT",
    "call agent good INVALID_ARGUMENT",
    "call agent mine delegated",
    "call agent  INVALID_ARGUMENT",
    "call agent bad TOOL_UNAVAILABLE",
    expect.stringMatching(/^call agent hang (CANCELLED|OUTCOME_UNKNOWN)$/),
  ]);
  const [first] = (await logOf(gateway.client)).filter(({ kind }) => kind === "call");
  expect(first).toMatchObject({
    callId: "good",
    door: "grpc",
    toolset: "web",
    backend: `http:${backend.url.slice(7)}`,
    attempts: 1,
  });
  expect(Math.abs(Date.now() - (first?.time?.getTime() ?? 0))).toBeLessThan(60_000);
  expect(first?.latencyMs).toBeGreaterThan(0);
  expect(first?.backendMs).toBeGreaterThan(0);
});

verifies(
  "audit.calls",
  "and audit.arguments, through every door alike, with equal digests for equal arguments",
  async () => {
    const backend = await httpBackend(() => json({ ok: 1 }));
    const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", backend.url) } });
    await callGrpc(grpcClient(gateway.grpc), {
      ...asText("t", '{"b": [1, 2.0], "a": "x"}'),
      callId: "c1",
      sessionId: "s1",
    });
    await callGrpc(grpcClient(gateway.grpc), {
      target: { case: "tool", value: "t" },
      input: { case: "arguments", value: { a: "x", b: [1, 2] } },
      callId: "c2",
    });
    await callHttp(gateway, { tool: "t", params: { b: [1, 2], a: "x" }, call_id: "c3" });
    const connect = connectClient(
      ToolGatewayService,
      createConnectTransport({ baseUrl: gateway.http, httpVersion: "1.1" }),
    );
    await connect.call({
      target: { case: "tool", value: "t" },
      input: { case: "argumentsJson", value: '{"a":"x","b":[1,2]}' },
      callId: "c4",
    });
    const log = await logOf(gateway.client);
    expect(log.map(({ callId, door, sessionId }) => [callId, door, sessionId])).toEqual([
      ["c1", "grpc", "s1"],
      ["c2", "grpc", ""],
      ["c3", "http", ""],
      ["c4", "connect", ""],
    ]);
    expect(new Set(log.map(({ argumentsSha256 }) => argumentsSha256))).toEqual(
      new Set([sha256('{"a":"x","b":[1,2]}')]),
    );
    expect(new Set(log.map(what))).toEqual(new Set(["call  t success"]));
  },
);

verifies(
  "audit.arguments",
  "peers row 77 (obot-platform/obot#7758): no argument and no result stands in the file",
  async () => {
    const backend = await httpBackend(() => json({ result: "the-result" }));
    for (const [policy, expected] of [
      ["digest", [/"arguments_sha256":"[0-9a-f]{64}"/]],
      ["redacted", [/"arguments_sha256":"[0-9a-f]{64}"/, /"arguments":\{"city":"Beijing","api_key":"\[redacted\]"\}/]],
      ["none", []],
    ] as const) {
      const gateway = await testGateway({
        yaml: `audit: {file: log/audit.jsonl, arguments: ${policy}}\n`,
        tools: { "t.yaml": httpTool("t", backend.url) },
      });
      await gateway.client.call("t", { city: "Beijing", api_key: "the-secret" });
      const path = join(gateway.folder, "log/audit.jsonl");
      await eventually(() => (existsSync(path) ? readFileSync(path, "utf8") : "")).toMatch(/\n$/);
      const text = readFileSync(path, "utf8");
      expect(text).not.toMatch(/the-secret|the-result/);
      if (policy !== "redacted") expect(text).not.toContain("Beijing");
      if (policy === "none") expect(text).not.toContain("sha256");
      for (const pattern of expected) expect(text).toMatch(pattern);
    }
  },
);

verifies("audit.others", async () => {
  const gateway = await testGateway({ yaml: CLIENTS, apiKey: KEYS.boss, tools: { "t.yaml": clientTool("t") } });
  const agent = createClient({ address: gateway.grpc, apiKey: KEYS.agent });
  onTestFinished(() => agent.close());
  await gateway.client.reload();
  await gateway.client.setToolEnabled("t", false);
  await gateway.client.setToolsetEnabled("default", true);
  await gateway.client.setToolEnabled("none", true);
  await expect(agent.reload()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  await gateway.client.status();
  const connect = connectClient(
    ToolGatewayService,
    createConnectTransport({ baseUrl: gateway.http, httpVersion: "1.1" }),
  );
  const headers = { authorization: `Bearer ${KEYS.agent}` };
  const tools = [
    { name: "mine", execution: Execution.CLIENT },
    { name: "t", execution: Execution.CLIENT },
  ];
  const registration = { toolset: "agents", instanceId: "one", tools };
  const { leaseId } = await connect.register(registration, { headers });
  await connect.register(registration, { headers });
  await connect.deregister({ leaseId }, { headers });
  const entries = (await logOf(gateway.client)).map(({ kind, caller, action, tool, toolset, code, detail }) =>
    [kind, caller, action, tool || toolset, code, detail].filter((part) => part !== "").join(" | "),
  );
  expect(entries).toEqual([
    "admin | boss | reload",
    "admin | boss | disable_tool | t",
    "admin | boss | enable_toolset | default",
    "admin | boss | enable_tool | none | no such tool",
    "admin | agent | reload | PERMISSION_DENIED",
    "registration | agent | register | agents | instance one; 1 registered (mine); 1 refused (t)",
    "registration | agent | register | agents | instance one; 1 refused (t)",
    "registration | agent | deregister | 1 removed (mine)",
  ]);
});

verifies("audit.read", async () => {
  const gateway = await testGateway({
    yaml: `${CLIENTS}audit: {file: audit.jsonl}\n`,
    apiKey: KEYS.boss,
    tools: { "a.yaml": clientTool("a"), "b.yaml": clientTool("b") },
  });
  const agent = createClient({ address: gateway.grpc, apiKey: KEYS.agent });
  onTestFinished(() => agent.close());
  for (let i = 0; i < 6; i += 1)
    await (i % 2 === 0 ? agent : gateway.client).call(i < 4 ? "a" : "b", {}, { callId: `c${i}` });
  const ids = async (...query: Parameters<ToolgateClient["readAuditLog"]>) =>
    (await gateway.client.readAuditLog(...query)).entries.map(({ callId }) => callId);
  expect(await ids()).toEqual(["c5", "c4", "c3", "c2", "c1", "c0"]);
  expect(await ids({ caller: "agent" })).toEqual(["c4", "c2", "c0"]);
  expect(await ids({ tool: "b" })).toEqual(["c5", "c4"]);
  expect(await ids({ callId: "c3" })).toEqual(["c3"]);
  expect(await ids({ since: new Date(Date.now() + 60_000) })).toEqual([]);
  const first = await gateway.client.readAuditLog({ kind: "call" }, { pageSize: 4 });
  const { nextPageToken = "" } = first;
  expect(first.entries).toHaveLength(4);
  expect(await ids({ kind: "call" }, { pageToken: nextPageToken })).toEqual(["c1", "c0"]);
  await expect(gateway.client.readAuditLog({}, { pageToken: "x" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(gateway.client.readAuditLog({}, { pageSize: 1_001 })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  await expect(gateway.client.readAuditLog({ kind: "calls" })).rejects.toThrow("kind must be one of call, outcome");
  await expect(agent.readAuditLog()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  const off = await testGateway({ yaml: "audit: {enabled: false}\n" });
  await expect(off.client.readAuditLog()).rejects.toMatchObject({ code: "UNIMPLEMENTED" });
});

verifies("audit.bounded", async () => {
  const gateway = await testGateway({
    yaml: "audit: {file: audit/log, max_file_bytes: 64KiB, max_files: 2}\n",
    tools: { "t.yaml": clientTool("t") },
  });
  const calls = Array.from({ length: 1_000 }, (_, i) => ({ tool: "t", options: { callId: String(i) } }));
  await gateway.client.callMany(calls, { concurrency: 50 });
  await gateway.client.readAuditLog();
  const folder = join(gateway.folder, "audit");
  const files = readdirSync(folder);
  expect(files).toHaveLength(2);
  for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(64 * 1024);
  const kept = await logOf(gateway.client);
  expect(kept.length).toBeGreaterThan(200);
  expect(kept.length).toBeLessThan(1_000);
});

verifies("audit.stop", async () => {
  const gateway = await testGateway({ yaml: "audit: {file: audit.jsonl}\n", tools: { "t.yaml": clientTool("t") } });
  await gateway.client.call("t");
  await gateway.stop();
  expect(readFileSync(join(gateway.folder, "audit.jsonl"), "utf8")).toMatch(/^\{"v":1,.*"status":"delegated".*\}\n$/);
});
