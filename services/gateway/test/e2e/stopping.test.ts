import { create } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import { ToolGatewayService, WatchToolsetsRequestSchema } from "@toolgate/contract";
import { expect } from "vitest";
import { asText, startCall } from "./harness/call.ts";
import { eventually } from "./harness/eventually.ts";
import { grpcClient, serverStream } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { run } from "./harness/process.ts";
import { type ServingProcess, serving } from "./harness/serving.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

/** A gateway with a tool whose backend answers when it is let to. */
async function withSlowTool() {
  const gate = Promise.withResolvers<void>();
  const backend = await httpBackend(async () => {
    await gate.promise;
    return json({ done: true });
  });
  const gateway = await serving({ tools: { "slow.yaml": httpTool("slow", backend.url) } });
  return { backend, gateway, answer: gate.resolve };
}

function watch(gateway: ServingProcess) {
  const stream = serverStream(
    grpcClient(gateway.grpc),
    ToolGatewayService.method.watchToolsets,
    create(WatchToolsetsRequestSchema),
  );
  const synced = new Promise<void>((resolve) => {
    stream.on("data", ({ event }) => event.case === "synced" && resolve());
  });
  const ended = new Promise<number>((resolve) => stream.on("error", ({ code }: { code: number }) => resolve(code)));
  return { synced, ended };
}

async function stopped(gateway: ServingProcess, startedAt: number) {
  expect(await gateway.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
}

verifies("stop.in-flight", "grpc-05 (grpc/grpc-node#2091)", async () => {
  const { backend, gateway, answer } = await withSlowTool();
  const client = grpcClient(gateway.grpc);
  const running = startCall(client, asText("slow"));
  const overHttp = fetch(`${gateway.http}/v1/call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"tool":"slow"}',
  });
  await eventually(() => backend.requests.length).toBe(2);
  const startedAt = performance.now();
  gateway.child.kill("SIGTERM");
  await gateway.printed(/"to":"draining"/);
  const refused = await startCall(client, asText("slow")).result;
  expect(refused.error?.code).toBe(status.UNAVAILABLE);
  expect(await (await fetch(`${gateway.admin}/readyz`)).text()).toBe("draining\n");
  answer();
  expect((await running.result).response?.envelope).toMatchObject({
    status: "success",
    payload: { value: '{"done":true}' },
  });
  expect(await (await overHttp).json()).toMatchObject({ status: "success", data: { done: true } });
  expect(backend.requests).toHaveLength(2);
  await stopped(gateway, startedAt);
});

verifies("stop.watches", "grpc-06 (grpc/grpc-node#1458): with a client that was killed beside them", async () => {
  const gateway = await serving();
  const watchers = [watch(gateway), watch(gateway), watch(gateway)];
  for (const { synced } of watchers) await synced;
  const program = `import http2 from "node:http2"; const s = http2.connect("http://${gateway.grpc}");
    s.request({":method":"POST",":path":"/toolgate.v1.ToolGatewayService/WatchToolsets","content-type":"application/grpc",te:"trailers"})
      .on("response", () => console.log("open")).end(Buffer.alloc(5));`;
  const killed = run(process.execPath, ["--input-type=module", "-e", program]);
  await killed.printed(/open/);
  killed.child.kill("SIGKILL");
  await killed.ended;
  const startedAt = performance.now();
  gateway.child.kill("SIGTERM");
  for (const { ended } of watchers) expect(await ended).toBe(status.UNAVAILABLE);
  await stopped(gateway, startedAt);
});

verifies("stop.bounded", "with a call whose backend never answers", async () => {
  const { backend, gateway } = await withSlowTool();
  const hanging = startCall(grpcClient(gateway.grpc), asText("slow"));
  await eventually(() => backend.requests.length).toBe(1);
  const startedAt = performance.now();
  gateway.child.kill("SIGTERM");
  // The caller hears that it was given up, in an envelope or, when it is cut off first, as a status.
  const { error, response } = await hanging.result;
  expect([error?.code, response?.envelope?.error?.code]).not.toEqual([undefined, undefined]);
  await stopped(gateway, startedAt);
  // The request was ended, not left behind.
  await backend.requests[0]?.aborted;
});

verifies("stop.bounded", "SIGINT stops as well, and a second signal changes nothing", async () => {
  const gateway = await serving();
  const startedAt = performance.now();
  gateway.child.kill("SIGINT");
  gateway.child.kill("SIGTERM");
  await stopped(gateway, startedAt);
  expect(gateway.stderr()).toMatch(/"to":"stopped"/);
});

verifies("stop.bounded", "with a watcher that never reads what it is sent", async () => {
  const large = Array.from({ length: 20 }, (_, i) =>
    JSON.parse(clientTool(`t${i}`, { description: "x".repeat(60_000) })),
  );
  const gateway = await serving({ tools: { "large.json": JSON.stringify({ tools: large }) }, yaml: "drain: 1s\n" });
  const stream = serverStream(
    grpcClient(gateway.grpc),
    ToolGatewayService.method.watchToolsets,
    create(WatchToolsetsRequestSchema),
  );
  stream.on("error", () => {});
  stream.pause();
  await eventually(async () => total(await readMetrics(gateway.admin), "toolgate_watchers")).toBe(1);
  const startedAt = performance.now();
  gateway.child.kill("SIGTERM");
  await stopped(gateway, startedAt);
});
