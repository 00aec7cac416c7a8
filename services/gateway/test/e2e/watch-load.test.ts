import { execFileSync } from "node:child_process";
import { toJson } from "@bufbuild/protobuf";
import {
  AdminService,
  type Tool,
  ToolGatewayService,
  ToolSchema,
  type Toolset,
  ToolsetSchema,
} from "@toolgate/contract";
import fc from "fast-check";
import { expect } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient, rpc } from "./harness/grpc-client.ts";
import { offeredTool, register, SECRET } from "./harness/provider.ts";
import { serving } from "./harness/serving.ts";
import { clientTool } from "./harness/tool-file.ts";
import { Watcher } from "./harness/watcher.ts";
import { verifies } from "./verifies.ts";

const ENDPOINT = "http://127.0.0.1:9/";
const { deregister } = ToolGatewayService.method;

const toolset = fc.constantFrom("red", "green", "blue");
const tools = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 4 });
const change = fc.oneof(
  fc.record({
    type: fc.constant("register" as const),
    toolset,
    tools,
    replace: fc.boolean(),
    description: fc.constantFrom("", "one", "two"),
    aliases: fc.constantFrom([], ["other"], ["more", "most"]),
  }),
  fc.record({ type: fc.constant("deregister" as const), toolset, tools }),
  fc.record({ type: fc.constant("switch" as const), tool: fc.constantFrom("a", "b", "c"), enabled: fc.boolean() }),
  fc.record({ type: fc.constant("switchToolset" as const), toolset, enabled: fc.boolean() }),
);

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

verifies("watch.snapshot", "following the events gives the same as a fresh list, whatever happens", async () => {
  const gateway = await testGateway();
  const client = grpcClient(gateway.grpc);
  const watcher = new Watcher(client);
  const leases = new Map<string, string>();
  const apply = async (one: Change) => {
    switch (one.type) {
      case "register": {
        const { type: _, tools: names, description, aliases, ...request } = one;
        const offered = names.map((name) => offeredTool(name, ENDPOINT, { description }));
        const { leaseId } = await register(client, { ...request, aliases: [...aliases], tools: offered });
        leases.set(one.toolset, leaseId);
        return;
      }
      case "deregister": {
        const leaseId = leases.get(one.toolset) ?? "";
        await rpc(client, deregister, { leaseId, leaseSecret: SECRET, tools: one.tools });
        return;
      }
      case "switch":
        await rpc(client, AdminService.method.setToolEnabled, { tool: one.tool, enabled: one.enabled });
        return;
      case "switchToolset":
        await rpc(client, AdminService.method.setToolsetEnabled, { toolset: one.toolset, enabled: one.enabled });
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      // All at once: the watcher may be told of several in one step.
      await Promise.all(changes.map(apply));
      const list = await gateway.client.listToolsPage({ includeUnavailable: true });
      const listed = stateOf(list.tools, list.toolsets);
      await eventually(() => stateOf([...watcher.tools.values()], [...watcher.toolsets.values()])).toEqual(listed);
      expect(watcher.generation).toBeLessThanOrEqual(Number(list.generation));
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

/** A list shows toolsets that have tools; a watch shows empty ones too. */
function stateOf(all: readonly Tool[], toolsets: readonly Toolset[]) {
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  return {
    tools: all.toSorted(byName).map((tool) => toJson(ToolSchema, tool)),
    toolsets: toolsets
      .filter((one) => one.tools > 0)
      .sort(byName)
      .map((one) => toJson(ToolsetSchema, one)),
  };
}

const CHANGES = 2_000;
const AT_ONCE = 50;
const LAST = 99_999;
const HISTORY = 1_000;
const WATCHERS = 20;
const DESCRIPTION_BYTES = 16 * 1024;
/** To keep every message for every watcher would take five times as much. */
const ALLOWED_GROWTH_KB = (CHANGES * WATCHERS * DESCRIPTION_BYTES) / 1024 / 5;

verifies("watch.slow-reader", async () => {
  const gateway = await serving({
    tools: { "t.yaml": clientTool("t") },
    // So that what grows is what is held, and not what has not been collected yet.
    env: { NODE_OPTIONS: "--max-old-space-size=128" },
  });
  const client = grpcClient(gateway.grpc);
  const changeTo = (version: number) => {
    const description = `${version} `.padEnd(DESCRIPTION_BYTES, "x");
    return register(client, { tools: [offeredTool("changing", ENDPOINT, { description })] });
  };
  const changeOften = async (from: number, to: number) => {
    for (let i = from; i < to; i += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, j) => changeTo(i + j)));
    }
  };
  // First without watchers: afterwards all that is kept anyway, such as the history for resuming, is there.
  await changeOften(0, HISTORY);
  const before = residentKb(gateway.child.pid);

  // Its own connection, so that only this reader's flow control is used up.
  const slow = Array.from({ length: WATCHERS }, () => new Watcher(grpcClient(gateway.grpc, { "toolgate.own": 1 })));
  for (const watcher of slow) watcher.stream.pause();
  const quick = new Watcher(client);
  await eventually(() => quick.isSynced).toBe(true);
  await changeOften(HISTORY, HISTORY + CHANGES);
  await changeTo(LAST);
  const viaHttp = await callHttp(gateway, { tool: "t" });
  expect(viaHttp.envelope.status).toBe("delegated");
  await eventually(() => quick.tools.get("changing")?.description.split(" ")[0]).toBe(String(LAST));
  expect(residentKb(gateway.child.pid) - before).toBeLessThan(ALLOWED_GROWTH_KB);

  // Once they read again, they get the newest state, in a few messages.
  const [late] = slow;
  late?.stream.resume();
  await eventually(() => late?.tools.get("changing")?.description.split(" ")[0]).toBe(String(LAST));
  expect(late?.messages.length).toBeLessThan(CHANGES / 10);
});

function residentKb(pid: number | undefined): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
}
