import { create } from "@bufbuild/protobuf";
import type { Client } from "@grpc/grpc-js";
import { ToolGatewayService, WatchToolsetsRequestSchema, type WatchToolsetsResponse } from "@toolgate/contract";
import { expect, onTestFinished, vi } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient, serverStream } from "./harness/grpc-client.ts";
import { heldBytes } from "./harness/memory.ts";
import { offeredTool, register } from "./harness/provider.ts";
import { clientTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

// On a busy machine the changes alone take their time.
vi.setConfig({ testTimeout: 90_000 });

const ENDPOINT = "http://127.0.0.1:9/";
const CHANGES = 2_000;
const AT_ONCE = 50;
/** As many generations as the gateway keeps for readers that resume. */
const HISTORY = 1_000;
const OWN_CONNECTION = { "grpc.use_local_subchannel_pool": 1 };
const WATCHERS = 10;
const DESCRIPTION_BYTES = 8 * 1024;
/** The buffers of both ends of each connection; what happened meanwhile alone is 16 MiB. */
const ALLOWED_GROWTH = 6 * 1024 * 1024;

verifies("watch.slow-reader", async () => {
  const gateway = await testGateway({ tools: { "t.yaml": clientTool("t") } });
  const client = grpcClient(gateway.grpc);
  let version = 0;
  const changeOften = async (changes: number) => {
    for (let i = 0; i < changes; i += AT_ONCE) {
      const descriptions = Array.from({ length: AT_ONCE }, () => `${++version} `.padEnd(DESCRIPTION_BYTES, "x"));
      await Promise.all(
        descriptions.map((text) =>
          register(client, { tools: [offeredTool("changing", ENDPOINT, { description: text })] }),
        ),
      );
    }
  };
  const newest = () => gateway.running.snapshot().tools.get("changing")?.tool.description;
  const quick = reader(client);
  await changeOften(HISTORY);
  await eventually(() => quick.description() === newest()).toBe(true);
  const before = heldBytes();

  // Each on a connection of its own: a reader that stops may hold up nobody beside it either.
  const slow = Array.from({ length: WATCHERS }, () => reader(grpcClient(gateway.grpc, OWN_CONNECTION)));
  for (const { stream } of slow) stream.pause();
  await changeOften(CHANGES);
  await eventually(() => quick.description() === newest()).toBe(true);
  expect((await callHttp(gateway, { tool: "t" })).envelope.status).toBe("delegated");
  // What is only waiting to be collected, or on its way through a socket, is not held.
  await eventually(() => heldBytes() - before).toBeLessThan(ALLOWED_GROWTH);

  // Once they read again, they get the newest state, in a few messages.
  for (const { stream } of slow) stream.resume();
  for (const late of slow) {
    await eventually(() => late.description() === newest()).toBe(true);
    expect(late.count()).toBeLessThan(CHANGES / 10);
  }
});

/** A watch of which only the newest description is kept. */
function reader(client: Client) {
  const { watchToolsets } = ToolGatewayService.method;
  const stream = serverStream(client, watchToolsets, create(WatchToolsetsRequestSchema, { toolsets: ["weather"] }));
  onTestFinished(() => stream.cancel());
  let count = 0;
  let description: string | undefined;
  stream.on("error", () => {});
  stream.on("data", ({ event }: WatchToolsetsResponse) => {
    count += 1;
    if (event.case === "added") description = event.value.tools[0]?.description;
    if (event.case === "changed") description = event.value.changedTools[0]?.description;
  });
  return { stream, count: () => count, description: () => description };
}
