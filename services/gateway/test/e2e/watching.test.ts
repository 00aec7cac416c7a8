import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { status } from "@grpc/grpc-js";
import { AdminService, ToolGatewayService } from "@toolgate/contract";
import { expect } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { writeFile } from "./harness/folder.ts";
import { testGateway } from "./harness/gateway.ts";
import { grpcClient, rpc } from "./harness/grpc-client.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { offeredTool, register, SECRET } from "./harness/provider.ts";
import { clientTool } from "./harness/tool-file.ts";
import { Watcher } from "./harness/watcher.ts";
import { verifies } from "./verifies.ts";

const ENDPOINT = "http://127.0.0.1:9/";
const { deregister } = ToolGatewayService.method;
const { setToolEnabled } = AdminService.method;

verifies("watch.snapshot", "the snapshot, then synced, then each change with a growing generation", async () => {
  const gateway = await testGateway({ tools: { "web/a.yaml": clientTool("a"), "mail/b.yaml": clientTool("b") } });
  const client = grpcClient(gateway.grpc);
  const watcher = new Watcher(client);
  await eventually(() => watcher.isSynced).toBe(true);
  expect(watcher.kinds).toEqual(["added", "added", "synced"]);
  expect([...watcher.toolsets.keys()]).toEqual(["mail", "web"]);
  expect([...watcher.tools.keys()]).toEqual(["b", "a"]);
  const { generation } = await gateway.client.listTools();
  expect(new Set(watcher.messages.map((message) => message.generation))).toEqual(new Set([generation]));

  const { leaseId } = await register(client, { tools: [offeredTool("t", ENDPOINT)] });
  await eventually(() => watcher.kinds.at(-1)).toBe("added");
  await register(client, { tools: [offeredTool("t", ENDPOINT), offeredTool("u", ENDPOINT)] });
  await eventually(() => watcher.kinds.at(-1)).toBe("changed");
  await rpc(client, setToolEnabled, { tool: "u", enabled: false });
  await eventually(() => watcher.kinds.at(-1)).toBe("healthChanged");
  await rpc(client, deregister, { leaseId, leaseSecret: SECRET });
  await eventually(() => watcher.kinds.at(-1)).toBe("removed");

  const changes = watcher.messages.slice(3);
  expect(changes.map(({ event }) => event.case)).toEqual(["added", "changed", "healthChanged", "removed"]);
  expect(changes.map((message) => Number(message.generation) - Number(generation))).toEqual([1, 2, 3, 4]);
  expect(changes[1]?.event.value).toMatchObject({ changedTools: [{ name: "u" }], removedTools: [] });
  expect(changes[2]?.event.value).toMatchObject({
    toolset: { name: "weather", health: { reason: "1 of 2 tools cannot be used: u" } },
    changedTools: [{ name: "u", health: { reason: "switched off by an operator" } }],
  });
  expect(changes[3]?.event.value).toMatchObject({ toolset: "weather" });
  expect(total(await readMetrics(gateway.admin), "toolgate_watchers")).toBe(1);
  watcher.stream.cancel();
  await eventually(async () => total(await readMetrics(gateway.admin), "toolgate_watchers")).toBe(0);
  const ended = { grpc_method: "WatchToolsets", grpc_type: "server_stream", grpc_code: "Canceled" };
  await eventually(async () => total(await readMetrics(gateway.admin), "grpc_server_handled_total", ended)).toBe(1);
});

verifies("watch.snapshot", "of some toolsets only, by name or alias; an empty gateway is synced at once", async () => {
  const empty = await testGateway();
  const nothing = new Watcher(grpcClient(empty.grpc));
  await eventually(() => nothing.kinds).toEqual(["synced"]);

  const gateway = await testGateway({
    tools: { "web/a.yaml": clientTool("a"), "mail/b.yaml": clientTool("b") },
    yaml: "toolsets: {web: {aliases: [internet]}}\n",
  });
  const watcher = new Watcher(grpcClient(gateway.grpc), { toolsets: ["internet"] });
  await eventually(() => watcher.kinds).toEqual(["added", "synced"]);
  writeFile(`${gateway.folder}/tools/mail/c.yaml`, clientTool("c"));
  writeFile(`${gateway.folder}/tools/web/d.yaml`, clientTool("d"));
  await gateway.running.reload();
  await eventually(() => [...watcher.tools.keys()]).toEqual(["a", "d"]);
  expect([...watcher.toolsets.keys()]).toEqual(["web"]);
});

verifies("watch.resume", "from a known generation only what changed since is told", async () => {
  const gateway = await testGateway({ tools: { "web/a.yaml": clientTool("a") } });
  const client = grpcClient(gateway.grpc);
  const first = new Watcher(client);
  await eventually(() => first.isSynced).toBe(true);
  first.stream.cancel();
  const { epoch, generation: fromGeneration } = first.messages.at(-1) ?? {};
  await register(client, { tools: [offeredTool("t", ENDPOINT)] });

  const resumed = new Watcher(client, { epoch: epoch ?? "", fromGeneration: fromGeneration ?? "" });
  await eventually(() => resumed.kinds).toEqual(["added", "synced"]);
  expect([...resumed.tools.keys()]).toEqual(["t"]);
});

verifies("watch.resume", "where the generation is not known, a reset comes first", async () => {
  const gateway = await testGateway({ tools: { "web/a.yaml": clientTool("a") } });
  const client = grpcClient(gateway.grpc);
  const { generation } = await gateway.client.listTools();
  for (const request of [
    { epoch: "of another process", fromGeneration: generation },
    { epoch: "", fromGeneration: generation },
    { epoch: "of another process", fromGeneration: "18446744073709551615" },
  ]) {
    const watcher = new Watcher(client, request);
    await eventually(() => watcher.kinds).toEqual(["reset", "added", "synced"]);
    expect([...watcher.tools.keys()]).toEqual(["a"]);
    watcher.stream.cancel();
  }
});

verifies("watch.heartbeat", async () => {
  const gateway = await testGateway({ tools: { "web/a.yaml": clientTool("a") } });
  const watcher = new Watcher(grpcClient(gateway.grpc), { heartbeatInterval: durationFromMs(1_000) });
  await eventually(() => watcher.kinds).toEqual(["added", "synced", "heartbeat", "heartbeat"]);
  expect(new Set(watcher.messages.map(({ generation }) => generation)).size).toBe(1);
});

verifies("watch.heartbeat", "an interval out of bounds is refused in words", async () => {
  const gateway = await testGateway();
  for (const ms of [0, 999, 300_001]) {
    const watcher = new Watcher(grpcClient(gateway.grpc), { heartbeatInterval: durationFromMs(ms) });
    expect(await watcher.ended).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: `heartbeat_interval must be 1 s to 5 min, not ${ms / 1000} s.`,
    });
  }
});
