import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import { createClient, type ToolgateClient } from "@toolgate/client";
import { ToolGatewayService, WatchToolsetsRequestSchema } from "@toolgate/contract";
import { defineTool, serve } from "@toolgate/provider";
import { expect, onTestFinished, vi } from "vitest";
import { eventually, holds } from "./harness/eventually.ts";
import { freePort } from "./harness/free-port.ts";
import { testGateway } from "./harness/gateway.ts";
import { grpcClient, serverStream } from "./harness/grpc-client.ts";
import { finished, run, toolgate } from "./harness/process.ts";
import { serving } from "./harness/serving.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

// Leases and restarts take their time.
vi.setConfig({ testTimeout: 90_000 });

const PROVIDER = fileURLToPath(new URL("harness/provider-process.ts", import.meta.url));

function providerProcess(grpc: string, instance: string) {
  return run(process.execPath, [PROVIDER, grpc, instance]);
}

async function answerers(client: ToolgateClient, calls: number): Promise<Set<unknown>> {
  const results = await Promise.all(Array.from({ length: calls }, () => client.call("who_are_you")));
  return new Set(results.map((result) => (result.status === "success" ? result.data : result.status)));
}

verifies("provider.call", async () => {
  const gateway = await testGateway({ tools: { "taken.yaml": httpTool("taken", "http://127.0.0.1:9/x") } });
  const echo = defineTool({
    name: "echo",
    description: "Gives back",
    schema: { type: "object" },
    handler: async (args) => args,
  });
  const taken = defineTool({
    name: "taken",
    description: "Too late",
    schema: { type: "object" },
    handler: async () => "mine",
  });
  const provider = await serve({ gateway: gateway.grpc, toolset: "mine", tools: [echo, taken], handleSignals: false });
  onTestFinished(() => provider.stop());
  expect(provider.outcomes).toMatchObject([
    { tool: "echo", status: "registered" },
    { tool: "taken", reason: "NAME_TAKEN" },
  ]);
  const big = { id: 1917043659912705296n, text: "读🎉" };
  const answer = await gateway.client.call("echo", big);
  expect(answer).toMatchObject({ status: "success", data: big, meta: { toolset: "mine" } });
  const { tools } = await gateway.client.listTools({ toolset: "mine" });
  expect(tools.map(({ name, instances }) => ({ name, instances }))).toEqual([{ name: "echo", instances: 1 }]);
  await provider.stop();
  expect(await gateway.client.call("echo", {})).toMatchObject({ status: "error", error: { code: "TOOL_NOT_FOUND" } });
});

verifies("provider.instances", async () => {
  const gateway = await testGateway();
  const [first, second] = [providerProcess(gateway.grpc, "one"), providerProcess(gateway.grpc, "two")];
  for (const { printed } of [first, second]) await printed(/state registered/);
  const instances = async () => (await gateway.client.listTools()).tools[0]?.instances;
  await eventually(instances).toBe(2);
  expect(await answerers(gateway.client, 20)).toEqual(new Set(["one", "two"]));
  // It dies without a word: no call is lost, and its lease ends.
  first.child.kill("SIGKILL");
  await first.ended;
  expect(await answerers(gateway.client, 20)).toEqual(new Set(["two"]));
  await eventually(instances).toBe(1);
  second.child.kill("SIGTERM");
  expect(await second.ended).toMatchObject({ code: 0 });
  expect((await gateway.client.listTools()).tools).toEqual([]);
});

verifies("provider.returns", async () => {
  const port = await freePort();
  const env = { TOOLGATE_LISTEN_GRPC: String(port) };
  const before = await serving({ env });
  const provider = providerProcess(before.grpc, "one");
  await provider.printed(/state registered/);
  before.child.kill("SIGKILL");
  await before.ended;
  const after = await serving({ env });
  const client = createClient({ address: after.grpc });
  onTestFinished(() => client.close());
  await holds(async () => expect(await answerers(client, 1)).toEqual(new Set(["one"])));
});

verifies("watch.thousand", async () => {
  const gateway = await testGateway();
  // A connection takes so many streams at once.
  const clients = Array.from({ length: 4 }, () => grpcClient(gateway.grpc));
  const heard = { synced: 0, told: 0 };
  for (let i = 0; i < 1_000; i++) {
    const client = clients[i % clients.length] as (typeof clients)[number];
    const stream = serverStream(client, ToolGatewayService.method.watchToolsets, create(WatchToolsetsRequestSchema));
    stream.on("error", () => {});
    stream.on("data", ({ event }) => {
      if (event.case === "synced") heard.synced += 1;
      if (event.case === "added" && event.value.toolset?.name === "late") heard.told += 1;
    });
    onTestFinished(() => stream.cancel());
  }
  await eventually(() => heard.synced).toBe(1_000);
  const tool = defineTool({ name: "late", description: "Late", schema: { type: "object" }, handler: async () => null });
  const provider = await serve({ gateway: gateway.grpc, toolset: "late", tools: [tool], handleSignals: false });
  onTestFinished(() => provider.stop());
  await eventually(() => heard.told).toBe(1_000);
});

verifies("cli.watch", async () => {
  const gateway = await testGateway({ tools: { "web/t.yaml": httpTool("t", "http://127.0.0.1:9/x") } });
  const shown = await finished(toolgate(["--gateway", gateway.grpc, "watch", "--once"]));
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toMatch(/^\+ web {2}healthy {2}t\n= generation \d+\n$/);
  const following = toolgate(["--gateway", gateway.grpc, "watch", "--json"]);
  await following.printed(/"type":"synced"/);
  const tool = defineTool({
    name: "new_one",
    description: "New",
    schema: { type: "object" },
    handler: async () => null,
  });
  const provider = await serve({ gateway: gateway.grpc, toolset: "fresh", tools: [tool], handleSignals: false });
  await following.printed(/"type":"added".*"toolset":"fresh".*"tools":\["new_one"\]/);
  await provider.stop();
  await following.printed(/"type":"removed".*"toolset":"fresh"/);
  following.child.kill("SIGINT");
  await following.ended;
});

verifies("cli.types", async () => {
  const params = [{ name: "city", type: "string", required: true }];
  const gateway = await testGateway({
    tools: { "t.yaml": httpTool("weather_query", "http://127.0.0.1:9/x", { params }) },
  });
  const { code, stdout, stderr } = await finished(toolgate(["--gateway", gateway.grpc, "types"]));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/declare module "@toolgate\/client"[\s\S]*"weather_query": \{\s+args: \{\s+"city": string;/);
});
