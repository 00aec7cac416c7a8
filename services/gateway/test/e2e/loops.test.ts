import { createHash } from "node:crypto";
import { expect } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { callHttp, type TestGateway, testGateway } from "./harness/gateway.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { httpTool, type ToolFileKeys } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const READ = { annotations: { read_only: true } };

interface WorldParts {
  readonly yaml?: string;
  readonly read?: ToolFileKeys;
}

/** A backend that never gives the same answer twice, but for paths below /same; two readers and a writer in front of it. */
async function aWorld({ yaml = "", read = READ }: WorldParts = {}) {
  const backend = await httpBackend(({ url }) =>
    json(url.startsWith("/same") ? [] : { answer: backend.requests.length }),
  );
  const gateway = await testGateway({
    yaml,
    tools: {
      "read.yaml": httpTool("read", `${backend.url}/read`, read),
      "look.yaml": httpTool("look", `${backend.url}/look`, READ),
      "search.yaml": httpTool("search", `${backend.url}/same`, READ),
      "write.yaml": httpTool("write", `${backend.url}/write`, { method: "POST" }),
    },
  });
  return { backend, gateway };
}

/** A session of calls through gRPC: each answers "ran", "warned" or an error code. */
function aSession(gateway: Pick<TestGateway, "grpc">, sessionId = "s") {
  const client = grpcClient(gateway.grpc);
  return async (tool: string, args: unknown = {}) => {
    const envelope = await callGrpc(client, { ...asText(tool, args), sessionId });
    if (envelope.error !== undefined) return envelope.error.code;
    return (envelope.meta?.warnings.length ?? 0) > 0 ? "warned" : "ran";
  };
}

async function each(call: ReturnType<typeof aSession>, ...calls: (readonly [tool: string, args?: unknown])[]) {
  const ended: string[] = [];
  for (const [tool, args] of calls) ended.push(await call(tool, args));
  return ended;
}

function rounds(times: number, ...tools: string[]): [string][] {
  return Array.from({ length: times }, () => tools.map((tool): [string] => [tool])).flat();
}

verifies("loops.repeat", "through gRPC, and the refused calls reach no backend", async () => {
  const { backend, gateway } = await aWorld();
  const call = aSession(gateway);
  expect(await each(call, ...rounds(5, "read"))).toEqual(["ran", "ran", "warned", "LOOP_DETECTED", "LOOP_DETECTED"]);
  expect(backend.requests).toHaveLength(3);
  expect(await each(call, ["write"], ["read"])).toEqual(["ran", "ran"]);
  const samples = await readMetrics(gateway.admin);
  expect(total(samples, "toolgate_loops_total", { tool: "read", pattern: "repeat", action: "warn" })).toBe(1);
  expect(total(samples, "toolgate_loops_total", { tool: "read", pattern: "repeat", action: "refuse" })).toBe(2);
});

verifies("loops.repeat", "through HTTP in one session with gRPC, as a 409 that says what to do", async () => {
  const { backend, gateway } = await aWorld();
  const body = { tool: "read", params: { path: "a" }, session_id: "s" };
  await each(aSession(gateway), ["read", { path: "a" }], ["read", { path: "a" }]);
  const third = await callHttp(gateway, body);
  expect(third.envelope).toMatchObject({ status: "success", data: { answer: 3 } });
  expect(third.envelope.meta.warnings).toEqual([expect.stringContaining('call number 3 in a row of "read"')]);
  const fourth = await callHttp(gateway, body);
  expect([fourth.status, fourth.envelope.error]).toMatchObject([
    409,
    { code: "LOOP_DETECTED", class: "argument", retryable: false, message: expect.stringContaining("was not run") },
  ]);
  expect(backend.requests).toHaveLength(3);
});

verifies("loops.repeat", "paging is no repeat, and calls that never ran neither count nor start anew", async () => {
  const { gateway } = await aWorld();
  const call = aSession(gateway);
  const pages = Array.from({ length: 10 }, (_, page): [string, unknown] => ["read", { page }]);
  expect(new Set(await each(call, ...pages))).toEqual(new Set(["ran"]));
  await each(call, ...rounds(3, "read"));
  expect(await each(call, ["no_such_tool"], ["read"])).toEqual(["TOOL_NOT_FOUND", "LOOP_DETECTED"]);
});

verifies("loops.repeat", "lone surrogates and big integers are arguments like others", async () => {
  const { gateway } = await aWorld();
  const call = aSession(gateway);
  const odd = ['{"q":"\\ud800"}', '{"q":"\\ud801"}', '{"q":9007199254740993}', '{"q":9007199254740992}'];
  expect(await each(call, ...odd.map((text): [string, string] => ["read", text]))).toEqual(Array(4).fill("ran"));
});

verifies("loops.cycle", "peer-82 (NousResearch/hermes-agent#69695): A-B-A-B", async () => {
  const { backend, gateway } = await aWorld();
  const ended = await each(aSession(gateway), ...rounds(4, "read", "look"));
  expect(ended).toEqual(["ran", "ran", "ran", "ran", "warned", "warned", "LOOP_DETECTED", "LOOP_DETECTED"]);
  expect(backend.requests).toHaveLength(6);
});

verifies("loops.cycle", "of five calls, and not where something is changed in every round", async () => {
  const { gateway } = await aWorld();
  const five = ["read", "look", "read", "search", "look"];
  const ended = await each(aSession(gateway), ...rounds(3, ...five), ["read"]);
  expect(ended.at(-2)).toBe("warned");
  expect(ended.at(-1)).toBe("LOOP_DETECTED");
  const changing = await each(aSession(gateway, "other"), ...rounds(8, "write", "read"));
  expect(new Set(changing)).toEqual(new Set(["ran"]));
});

verifies(
  "loops.same-result",
  "peer-83 (NousResearch/hermes-agent#60084): the arguments vary and the result never does",
  async () => {
    const { backend, gateway } = await aWorld();
    const searches = Array.from({ length: 10 }, (_, q): [string, unknown] => ["search", { q }]);
    const ended = await each(aSession(gateway), ...searches);
    expect(ended).toEqual([...Array(3).fill("ran"), ...Array(5).fill("warned"), ...Array(2).fill("LOOP_DETECTED")]);
    expect(backend.requests).toHaveLength(8);
  },
);

verifies(
  "loops.same-result",
  "peer-83 (NousResearch/hermes-agent PR#57851): the result varies and the arguments never do",
  async () => {
    const { gateway } = await aWorld();
    const ended = await each(aSession(gateway), ...rounds(4, "read"));
    expect(ended).toEqual(["ran", "ran", "warned", "LOOP_DETECTED"]);
  },
);

verifies("loops.apart", async () => {
  const hash = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex")}`;
  const clients = ["ann", "bob"].map((id) => ({ id, key_hashes: [hash(`key-of-${id}`)] }));
  const { gateway } = await aWorld({ yaml: `clients: ${JSON.stringify(clients)}\n` });
  const call = async (id: string, session_id?: string) => {
    const headers = { "content-type": "application/json", authorization: `Bearer key-of-${id}` };
    return (await callHttp(gateway, { tool: "read", session_id }, { headers })).status;
  };
  for (let i = 0; i < 3; i++) expect(await call("ann", "s")).toBe(200);
  expect(await call("ann", "s")).toBe(409);
  expect(await call("bob", "s")).toBe(200);
  expect(await call("ann", "t")).toBe(200);
  for (let i = 0; i < 6; i++) expect(await call("ann")).toBe(200);
});

verifies("loops.settings", "a poller is asked as often as one likes", async () => {
  const { gateway } = await aWorld({ read: { ...READ, loop_guard: false } });
  expect(new Set(await each(aSession(gateway), ...rounds(12, "read")))).toEqual(new Set(["ran"]));
});

verifies("loops.settings", "thresholds, and off", async () => {
  const early = await aWorld({ yaml: "loop_guard: {repeat: {warn_at: 2, refuse_at: 3}, cycle: {enabled: false}}\n" });
  const call = aSession(early.gateway);
  expect(await each(call, ...rounds(3, "read"))).toEqual(["ran", "warned", "LOOP_DETECTED"]);
  expect(new Set(await each(call, ...rounds(6, "look", "read")))).toEqual(new Set(["ran"]));
  const off = await aWorld({ yaml: "loop_guard: {enabled: false}\n" });
  expect(new Set(await each(aSession(off.gateway), ...rounds(6, "read")))).toEqual(new Set(["ran"]));
});
