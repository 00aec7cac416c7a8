import { expect } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { eventually } from "./harness/eventually.ts";
import { fastClock } from "./harness/fast-clock.ts";
import { callHttp, type TestGateway, testGateway } from "./harness/gateway.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { Watcher } from "./harness/watcher.ts";
import { verifies } from "./verifies.ts";

/** A service whose health endpoint answers what `status` says. */
async function service() {
  const state = { status: 200 };
  const backend = await httpBackend(({ url }) => (url === "/health" ? json({}, state.status) : json({ ok: true })));
  const count = (path: string) => backend.requests.filter(({ url }) => url === path).length;
  return { backend, state, probes: () => count("/health"), calls: () => count("/run") };
}

async function list(gateway: TestGateway, query = "") {
  const response = await fetch(`${gateway.http}/v1/tools${query}`);
  return (await response.json()) as { tools: { name: string; health: { state: string; reason: string } }[] };
}

const namesOf = async (gateway: TestGateway) => (await list(gateway)).tools.map(({ name }) => name);

verifies("health.toolset", "healthy, a flake, down, and back again", async () => {
  const { backend, state, calls } = await service();
  const gateway = await testGateway({
    // 30 s between checks are 2.5 s here, and the 60 s of grace are 5 s.
    clock: fastClock(12),
    tools: { "web/run.yaml": httpTool("run", `${backend.url}/run`), "other.yaml": clientTool("other") },
    yaml: `toolsets: {web: {check: {http: "${backend.url}/health"}}}\n`,
  });
  const watcher = new Watcher(grpcClient(gateway.grpc), { toolsets: ["web"] });
  const states = () =>
    watcher.messages.map(({ event }) => (event.case === "healthChanged" ? stateOf(watcher) : event.case));
  await eventually(() => stateOf(watcher)).toBe("HEALTHY");

  state.status = 503;
  await eventually(() => stateOf(watcher)).toBe("DEGRADED");
  expect(watcher.toolsets.get("web")?.health?.reason).toContain("answered 503");
  expect(await namesOf(gateway)).toEqual(["other", "run"]);
  expect(await callGrpc(grpcClient(gateway.grpc), asText("run"))).toMatchObject({ status: "success" });

  await eventually(() => stateOf(watcher)).toBe("UNAVAILABLE");
  expect(await namesOf(gateway)).toEqual(["other"]);
  const before = calls();
  const { status, envelope } = await callHttp(gateway, { tool: "run" });
  expect([status, envelope.error.code]).toEqual([503, "TOOL_UNAVAILABLE"]);
  expect(envelope.error.message).toContain("/health: answered 503");
  expect(calls()).toBe(before);

  state.status = 200;
  await eventually(() => stateOf(watcher)).toBe("HEALTHY");
  expect(await namesOf(gateway)).toEqual(["other", "run"]);
  expect(states().every((kind) => kind !== "removed" && kind !== "changed")).toBe(true);
});

function stateOf(watcher: Watcher): string | undefined {
  return ["UNSPECIFIED", "HEALTHY", "DEGRADED", "UNAVAILABLE", "UNKNOWN"][
    watcher.toolsets.get("web")?.health?.state ?? 0
  ];
}

verifies(
  "health.toolset",
  "one that was never well is not listed; all that ask the same question share one probe",
  async () => {
    const { backend, state, probes } = await service();
    state.status = 500;
    const check = { http: `${backend.url}/health` };
    const tool = (name: string) => httpTool(name, `${backend.url}/run`, { check });
    const gateway = await testGateway({
      tools: { "web/a.yaml": tool("a"), "web/b.yaml": tool("b"), "web/c.yaml": httpTool("c", `${backend.url}/run`) },
      yaml: `toolsets: {web: {check: ${JSON.stringify(check)}}}\n`,
    });
    expect(probes()).toBe(1);
    expect(await namesOf(gateway)).toEqual([]);
    const { tools } = await list(gateway, "?include_unavailable=true");
    expect(tools.map(({ name, health }) => [name, health.state])).toEqual([
      ["a", "unavailable"],
      ["b", "unavailable"],
      ["c", "unavailable"],
    ]);
  },
);

verifies("health.toolset", "a health endpoint that never answers is down, and holds up nobody", async () => {
  const backend = await httpBackend(({ url }) => (url === "/health" ? "hang" : json({ ok: true })));
  const gateway = await testGateway({
    clock: fastClock(10),
    tools: { "web/run.yaml": httpTool("run", `${backend.url}/run`), "other.yaml": clientTool("other") },
    yaml: `toolsets: {web: {check: {http: "${backend.url}/health"}}}\n`,
  });
  expect(await namesOf(gateway)).toEqual(["other"]);
  const { tools } = await list(gateway, "?include_unavailable=true");
  expect(tools.find(({ name }) => name === "run")?.health.reason).toContain("no answer to the check within 2 s");
});

verifies("health.tool", "its own check goes before that of its toolset, and counts for it alone", async () => {
  const { backend, state } = await service();
  state.status = 503;
  const own = httpTool("own", `${backend.url}/run`, { check: { http: `${backend.url}/health` } });
  const gateway = await testGateway({
    clock: fastClock(20),
    tools: { "web/own.yaml": own, "web/plain.yaml": httpTool("plain", `${backend.url}/run`) },
  });
  expect(await namesOf(gateway)).toEqual(["plain"]);
  const toolsets = (await (await fetch(`${gateway.http}/v1/toolsets`)).json()) as { toolsets: object[] };
  expect(toolsets.toolsets).toMatchObject([
    {
      name: "web",
      tools: 2,
      available_tools: 1,
      health: { state: "degraded", reason: "1 of 2 tools cannot be used: own" },
    },
  ]);
  expect((await callHttp(gateway, { tool: "own" })).envelope.error.code).toBe("TOOL_UNAVAILABLE");
  expect((await callHttp(gateway, { tool: "plain" })).envelope.status).toBe("success");
  state.status = 204;
  await eventually(() => namesOf(gateway)).toEqual(["own", "plain"]);
  expect((await callHttp(gateway, { tool: "own" })).envelope.status).toBe("success");
});

verifies("health.tool", "tcp and env are questions too", async () => {
  const { backend } = await service();
  const port = new URL(backend.url).port;
  const tool = (name: string, check: object) => httpTool(name, `${backend.url}/run`, { check });
  const gateway = await testGateway({
    tools: {
      "a.yaml": tool("env_set", { env: "PATH" }),
      "b.yaml": tool("env_unset", { env: "TOOLGATE_E2E_NEVER_SET" }),
      "c.yaml": tool("tcp_open", { tcp: `127.0.0.1:${port}` }),
      "d.yaml": tool("tcp_closed", { tcp: "127.0.0.1:1" }),
    },
  });
  expect(await namesOf(gateway)).toEqual(["env_set", "tcp_open"]);
});
