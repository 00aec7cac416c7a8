import { createHash } from "node:crypto";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { status } from "@grpc/grpc-js";
import { ToolGatewayService } from "@toolgate/contract";
import { expect } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { testGateway } from "./harness/gateway.ts";
import { bearer, grpcClient, rpc } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { offeredTool, outcomesOf, register, SECRET } from "./harness/provider.ts";
import { resolving } from "./harness/resolving.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const { heartbeat, deregister } = ToolGatewayService.method;
const ENDPOINT = "http://127.0.0.1:9/";

verifies("register.outcomes", async () => {
  const backend = await httpBackend(() => json({ temp: 21 }));
  const gateway = await testGateway({ tools: { "mine.yaml": clientTool("mine") } });
  const client = grpcClient(gateway.grpc);
  const good = offeredTool("good", backend.url, { inputSchema: '{"type":"object"}', description: "first" });
  const response = await register(client, {
    tools: [
      offeredTool("not a name", ENDPOINT),
      good,
      offeredTool("bad_schema", ENDPOINT, { inputSchema: '{"type":"object","properties":{"a":{"type":"strnig"}}}' }),
      offeredTool("no_json", ENDPOINT, { inputSchema: "{" }),
      offeredTool("long", ENDPOINT, { description: "x".repeat(64 * 1024 + 1) }),
      offeredTool("far", "http://169.254.169.254/latest"),
      offeredTool("mine", ENDPOINT),
      { name: "nowhere" },
      offeredTool("last", backend.url),
    ],
  });
  expect(outcomesOf(response)).toEqual([
    "not a name: REFUSED AMBIGUOUS_NAME",
    "good: REGISTERED",
    "bad_schema: REFUSED INVALID_SCHEMA",
    "no_json: REFUSED INVALID_SCHEMA",
    "long: REFUSED TOO_LARGE",
    "far: REFUSED ADDRESS_NOT_ALLOWED",
    "mine: REFUSED NAME_TAKEN",
    "nowhere: REFUSED INVALID_SCHEMA",
    "last: REGISTERED",
  ]);
  const messages = new Map(response.outcomes.map(({ tool, message }) => [tool, message]));
  expect(messages.get("bad_schema")).toMatch(/input_schema at \/properties\/a\/type: .*strnig/);
  expect(messages.get("mine")).toContain("the tool files");
  expect(messages.get("nowhere")).toContain("The backend is missing");
  expect(await gateway.client.call("good")).toMatchObject({ data: { temp: 21 }, meta: { toolset: "weather" } });
  expect(gateway.logged().match(/"level":50.*a tool was refused/g)).toHaveLength(7);
  const samples = await readMetrics(gateway.admin);
  expect(total(samples, "toolgate_registrations_total", { outcome: "refused", reason: "NAME_TAKEN" })).toBe(1);

  const changed = { ...good, description: "second" } as typeof good;
  expect(outcomesOf(await register(client, { tools: [good] }))).toEqual(["good: UNCHANGED"]);
  expect(outcomesOf(await register(client, { tools: [changed] }))).toEqual(["good: UPDATED"]);
});

verifies("register.outcomes", "what was registered and is refused later stays as it was", async () => {
  const backend = await httpBackend(() => json({ ok: true }));
  const gateway = await testGateway();
  const client = grpcClient(gateway.grpc);
  await register(client, { tools: [offeredTool("t", backend.url)], replace: true });
  const bad = offeredTool("t", backend.url, { inputSchema: '{"type":"strnig"}' });
  expect(outcomesOf(await register(client, { tools: [bad], replace: true }))).toEqual(["t: REFUSED INVALID_SCHEMA"]);
  expect(await gateway.client.call("t")).toMatchObject({ status: "success" });
});

verifies("register.outcomes", "a request that cannot be registered at all is a status error in words", async () => {
  const client = grpcClient((await testGateway()).grpc);
  const wrong = [
    [{ toolset: "no spaces" }, '"no spaces" is not a legal toolset name'],
    [{ instanceId: "" }, "instance_id must be 1 to 128 characters"],
    [{ lease: durationFromMs(4_999) }, "lease must be 5 s to 1 h, not 4.999 s"],
    [{ lease: durationFromMs(3_600_001) }, "lease must be 5 s to 1 h"],
    [{ leaseSecret: "short" }, "lease_secret must be 16 to 256 characters"],
  ] as const;
  for (const [fields, message] of wrong) {
    const failing = register(client, { tools: [], ...fields });
    await expect(failing).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining(message),
    });
  }
});

verifies(
  "register.outcomes",
  "two replicas of one provider are two instances; the tool stays until both have left",
  async () => {
    const backend = await httpBackend();
    const gateway = await testGateway();
    const client = grpcClient(gateway.grpc);
    const tools = [offeredTool("t", backend.url)];
    const one = await register(client, { tools, instanceId: "one" });
    const two = await register(client, { tools, instanceId: "two" });
    expect([outcomesOf(one), outcomesOf(two)]).toEqual([["t: REGISTERED"], ["t: UNCHANGED"]]);
    const instances = async () => (await gateway.client.listTools()).tools.map((tool) => tool.instances);
    expect(await instances()).toEqual([2]);
    await rpc(client, deregister, { leaseId: one.leaseId, leaseSecret: SECRET });
    expect(await instances()).toEqual([1]);
    const last = await rpc(client, deregister, { leaseId: two.leaseId, leaseSecret: SECRET });
    expect([last.known, last.removed, await instances()]).toEqual([true, ["t"], []]);
  },
);

verifies("register.ownership", "by lease_secret where there are no keys", async () => {
  const gateway = await testGateway();
  const client = grpcClient(gateway.grpc);
  const other = "another-secret-of-16";
  const owner = await register(client, { tools: [offeredTool("t", ENDPOINT)] });
  const thief = await register(client, { leaseSecret: other, tools: [offeredTool("t", "http://localhost:9/evil")] });
  expect(outcomesOf(thief)).toEqual(["t: REFUSED NAME_TAKEN"]);
  expect(thief.outcomes[0]?.message).toContain('The name "t" is taken by a registered process');
  expect(thief.outcomes[0]?.message).not.toContain(SECRET);
  const intruder = await register(client, { leaseSecret: other, tools: [offeredTool("free", ENDPOINT)] });
  expect(outcomesOf(intruder)).toEqual(["free: REFUSED FORBIDDEN"]);
  expect(intruder.outcomes[0]?.message).toContain('The toolset "weather" belongs to a registered process');
  const otherToolset = await register(client, {
    leaseSecret: other,
    toolset: "mine",
    tools: [offeredTool("t", ENDPOINT)],
  });
  expect(outcomesOf(otherToolset)).toEqual(["t: REFUSED NAME_TAKEN"]);

  const stolen = { leaseId: owner.leaseId, leaseSecret: other };
  expect((await rpc(client, heartbeat, stolen)).known).toBe(false);
  expect(await rpc(client, deregister, stolen)).toMatchObject({ known: false, removed: [] });
  expect((await gateway.client.listTools()).tools.map(({ name }) => name)).toEqual(["t"]);

  const own = { leaseId: owner.leaseId, leaseSecret: SECRET };
  expect((await rpc(client, heartbeat, own)).known).toBe(true);
  expect(await rpc(client, deregister, { ...own, tools: ["t"] })).toMatchObject({ known: true, removed: ["t"] });
});

verifies("register.ownership", "by API key where there are keys, whichever key of the client it is", async () => {
  const hash = (key: string) => JSON.stringify(`sha256:${createHash("sha256").update(key).digest("hex")}`);
  const gateway = await testGateway({
    yaml: `clients:
  - {id: ann, key_hashes: [${hash("ann-1")}, ${hash("ann-2")}]}
  - {id: bob, key_hashes: [${hash("bob-1")}]}
`,
    apiKey: "bob-1",
  });
  const client = grpcClient(gateway.grpc);
  const owner = await register(client, { tools: [offeredTool("t", ENDPOINT)] }, bearer("ann-1"));
  expect(outcomesOf(owner)).toEqual(["t: REGISTERED"]);
  const thief = await register(client, { toolset: "bobs", tools: [offeredTool("t", ENDPOINT)] }, bearer("bob-1"));
  expect(outcomesOf(thief)).toEqual(["t: REFUSED NAME_TAKEN"]);
  expect(thief.outcomes[0]?.message).toContain('taken by client "ann"');
  const lease = { leaseId: owner.leaseId };
  expect((await rpc(client, heartbeat, lease, bearer("bob-1"))).known).toBe(false);
  expect((await rpc(client, deregister, lease, bearer("bob-1"))).known).toBe(false);
  const secret = rpc(client, heartbeat, { ...lease, leaseSecret: SECRET }, bearer("ann-1"));
  await expect(secret).rejects.toThrow("lease_secret is only for gateways without API keys");
  expect((await rpc(client, heartbeat, lease, bearer("ann-2"))).known).toBe(true);
  expect((await gateway.client.listTools()).tools).toMatchObject([{ name: "t", source: 'client "ann" (one)' }]);
  expect(await rpc(client, deregister, lease, bearer("ann-2"))).toMatchObject({ known: true, removed: ["t"] });
});

verifies(
  "register.ownership",
  "security-08 (docker/mcp-gateway#513, IBM/chuk-tool-processor#53): a built-in tool keeps its name, loudly, also when it is down",
  async () => {
    const gateway = await testGateway({
      yaml: "builtin: {files: files}\ntoolsets: {weather: {}}\n",
      files: { "files/a.txt": "mine" },
      tools: { "off.yaml": clientTool("off", { enabled: false }) },
    });
    const client = grpcClient(gateway.grpc);
    const tools = [offeredTool("read_file", ENDPOINT), offeredTool("off", ENDPOINT)];
    expect(outcomesOf(await register(client, { tools }))).toEqual([
      "read_file: REFUSED NAME_TAKEN",
      "off: REFUSED NAME_TAKEN",
    ]);
    expect(await gateway.client.call("read_file", { path: "a.txt" })).toMatchObject({ data: { content: "mine" } });
    expect(gateway.logged()).toMatch(/"level":50,.*"tool":"read_file","reason":"NAME_TAKEN"/);
  },
);

verifies("register.lease", async () => {
  const gateway = await testGateway();
  const client = grpcClient(gateway.grpc);
  const tools = (name: string) => [offeredTool(name, ENDPOINT)];
  const kept = await register(client, { toolset: "kept", tools: tools("kept"), lease: durationFromMs(60_000) });
  const short = await register(client, { toolset: "short", tools: tools("short"), lease: durationFromMs(5_000) });
  expect(short.lease).toMatchObject({ seconds: 5n });
  const names = async () => (await gateway.client.listTools()).tools.map(({ name }) => name);
  expect(await names()).toEqual(["kept", "short"]);
  // The shortest lease, in real time: 5 s, and at most one second until it is noticed.
  await eventually(names).toEqual(["kept"]);
  expect((await rpc(client, heartbeat, { leaseId: short.leaseId, leaseSecret: SECRET })).known).toBe(false);
  const renewed = await rpc(client, heartbeat, { leaseId: kept.leaseId, leaseSecret: SECRET });
  expect(renewed).toMatchObject({ known: true, lease: { seconds: 60n } });
  expect(await gateway.client.call("short")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });

  const again = await register(client, { toolset: "short", tools: tools("short"), lease: durationFromMs(5_000) });
  expect([outcomesOf(again), again.leaseId]).toEqual([["short: REGISTERED"], short.leaseId]);
});

verifies("register.address", async () => {
  const gateway = await testGateway({ yaml: "registration: {allowed_hosts: [api.example, LOCALHOST]}\n" });
  const client = grpcClient(gateway.grpc);
  const endpoints = [
    ["http://localhost:9/", true],
    ["https://API.example:8443/v1/{id}", true],
    ["http://127.0.0.1:9/", false],
    ["http://[::1]:9/", false],
    ["http://api.example.evil.test/", false],
    ["http://2130706433/", false],
  ] as const;
  for (const [endpoint, allowed] of endpoints) {
    const inputSchema = endpoint.includes("{id}") ? '{"type":"object","properties":{"id":{"type":"string"}}}' : "";
    const response = await register(client, { tools: [offeredTool("t", endpoint, { inputSchema })] });
    const [outcome] = outcomesOf(response);
    if (allowed) expect(outcome, endpoint).toMatch(/^t: (REGISTERED|UPDATED)$/);
    else expect(outcome, endpoint).toBe("t: REFUSED ADDRESS_NOT_ALLOWED");
  }
  const { outcomes } = await register(client, { tools: [offeredTool("x", "http://evil.test/")] });
  expect(outcomes[0]?.message).toBe(
    "Registered tools may not point at evil.test. Allowed: api.example, LOCALHOST (registration.allowed_hosts).",
  );
});

const GUARD = "an address that this gateway may not connect to";

verifies(
  "register.address",
  "security-03 (modelcontextprotocol/servers#4838): an allowed name that leads to this machine is not connected to; a tool file's is",
  async () => {
    const backend = await httpBackend(() => json({ ok: true }));
    const port = new URL(backend.url).port;
    resolving({ "api.example": ["127.0.0.1"] });
    const gateway = await testGateway({
      yaml: "registration: {allowed_hosts: [api.example]}\n",
      tools: { "mine.yaml": httpTool("mine", `http://api.example:${port}/mine`) },
    });
    const client = grpcClient(gateway.grpc);
    const target = { target: `api.example:${port}`, method: "a.B/C" };
    const response = await register(client, {
      address: `api.example:${port}`,
      tools: [
        offeredTool("http", `http://api.example:${port}/theirs`),
        { name: "grpc", backend: { case: "grpc", value: target } },
        { name: "provided", backend: { case: "provider", value: { check: true } } },
      ],
    });
    expect(outcomesOf(response)).toEqual(["http: REGISTERED", "grpc: REGISTERED", "provided: REGISTERED"]);
    expect(await gateway.client.call("mine")).toMatchObject({ status: "success" });
    for (const name of ["http", "grpc"]) {
      const error = { code: "BACKEND_UNREACHABLE", message: expect.stringContaining(GUARD) };
      expect(await gateway.client.call(name), name).toMatchObject({ status: "error", error });
    }
    const health = async () => {
      const { tools } = await gateway.client.listTools({ name: "provided", includeUnavailable: true });
      return tools[0]?.health.reason;
    };
    await eventually(health).toContain(GUARD);
    expect(await gateway.client.call("provided")).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    expect(backend.requests.map(({ url }) => url)).toEqual(["/mine"]);
  },
);

verifies("register.address", "an address that is listed itself is where a name may lead; ranges count", async () => {
  const backend = await httpBackend(() => json({ ok: true }));
  const port = new URL(backend.url).port;
  resolving({ "api.example": ["169.254.169.254", "127.0.0.1"] });
  const gateway = await testGateway({ yaml: "registration: {allowed_hosts: [api.example, 127.0.0.0/8]}\n" });
  const endpoints = [`http://api.example:${port}/`, `http://127.0.0.1:${port}/`];
  const tools = endpoints.map((endpoint, n) => offeredTool(`t${n}`, endpoint));
  await register(grpcClient(gateway.grpc), { tools });
  // Of the name's two addresses the one of the metadata service is left out.
  for (const name of ["t0", "t1"]) expect(await gateway.client.call(name)).toMatchObject({ data: { ok: true } });
});

verifies(
  "register.address",
  "security-03 (modelcontextprotocol/servers#4838): a redirect is not followed, also to where it would be allowed",
  async () => {
    const elsewhere = await httpBackend();
    const places = ["http://169.254.169.254/latest/meta-data", `${elsewhere.url}/x`];
    const backend = await httpBackend(({ url }) => ({
      status: 302,
      headers: { location: places[Number(url[1])] ?? "" },
    }));
    const gateway = await testGateway();
    const tools = places.map((_, n) => offeredTool(`t${n}`, `${backend.url}/${n}`));
    await register(grpcClient(gateway.grpc), { tools });
    for (const name of ["t0", "t1"]) {
      expect(await gateway.client.call(name)).toMatchObject({ error: { code: "TOOL_ERROR" } });
    }
    expect(elsewhere.requests).toEqual([]);
  },
);
