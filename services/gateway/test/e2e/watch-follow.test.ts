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
import { testGateway } from "./harness/gateway.ts";
import { grpcClient, rpc } from "./harness/grpc-client.ts";
import { offeredTool, register, SECRET } from "./harness/provider.ts";
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
