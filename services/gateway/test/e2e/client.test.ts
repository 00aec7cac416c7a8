import { createClient, ToolgateClientError } from "@toolgate/client";
import { expect, onTestFinished } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { freePort } from "./harness/free-port.ts";
import { testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

verifies("client.call", "status narrows data or error", async () => {
  const backend = await httpBackend(({ url }) => (url === "/bad" ? json({ why: "no" }, 418) : json({ id: 1 })));
  const gateway = await testGateway({
    tools: {
      "good.yaml": httpTool("good", `${backend.url}/good`),
      "bad.yaml": httpTool("bad", `${backend.url}/bad`),
      "mine.yaml": clientTool("mine"),
    },
  });
  const good = await gateway.client.call<{ id: number }>("good");
  if (good.status !== "success") return expect.fail(`not a success: ${good.status}`);
  const { id } = good.data;
  expect(id).toBe(1);
  const bad = await gateway.client.call("bad");
  if (bad.status !== "error") return expect.fail(`not an error: ${bad.status}`);
  expect(bad.error).toMatchObject({
    code: "TOOL_ERROR",
    class: "tool",
    backendAnswer: { status: "418", body: '{"why":"no"}' },
  });
  const mine = await gateway.client.call("mine", { a: 1 });
  if (mine.status !== "delegated") return expect.fail(`not delegated: ${mine.status}`);
  expect(mine.data).toEqual({ a: 1 });
});

verifies("client.call", "a deadline and an AbortSignal end the request at the backend", async () => {
  const backend = await httpBackend(() => "hang");
  const gateway = await testGateway({
    tools: { "slow.yaml": httpTool("slow", backend.url, { annotations: { read_only: true } }) },
  });
  // An envelope where it arrives in time; on a busy machine the client's own clock may be first.
  const late = await gateway.client.call("slow", {}, { timeoutMs: 1_000 }).catch((error: ToolgateClientError) => error);
  const code = "error" in late ? late.error.code : (late as ToolgateClientError).code;
  expect(["BACKEND_TIMEOUT", "DEADLINE_EXCEEDED"]).toContain(code);
  await backend.requests[0]?.aborted;
  const controller = new AbortController();
  const waiting = gateway.client.call("slow", {}, { signal: controller.signal });
  await eventually(() => backend.requests.length).toBe(2);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: "ToolgateClientError", code: "CANCELLED" });
  await backend.requests[1]?.aborted;
});

verifies("client.list", async () => {
  const names = Array.from({ length: 1_203 }, (_, i) => `tool_${String(i).padStart(4, "0")}`);
  const tools = names.map((name) => ({ name, type: "http", endpoint: "http://127.0.0.1:9/x" }));
  const gateway = await testGateway({
    tools: {
      "many.json": JSON.stringify({ tools: tools.slice(0, 900) }),
      "more.json": JSON.stringify({ tools: tools.slice(900) }),
    },
  });
  const list = await gateway.client.listTools();
  expect(list.tools.map(({ name }) => name)).toEqual(names);
  expect(list.toolsets).toMatchObject([{ name: "default", tools: 1_203, health: { state: "healthy" } }]);
  const page = await gateway.client.listToolsPage({}, { pageSize: 10 });
  expect(page.tools).toHaveLength(10);
  expect(page.total).toBe(1_203);
});

verifies("client.unreachable", async () => {
  const port = await freePort();
  const client = createClient({ address: `127.0.0.1:${port}` });
  onTestFinished(() => client.close());
  const error = await client.call("x").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolgateClientError);
  expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: false });
  expect(String(error)).toContain(`Cannot reach a gateway at 127.0.0.1:${port}: connection refused`);
});
