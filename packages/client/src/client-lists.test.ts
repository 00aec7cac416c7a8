import { create } from "@bufbuild/protobuf";
import { createRouterTransport } from "@connectrpc/connect";
import {
  AdminService,
  HealthState,
  type ListToolsRequest,
  ListToolsResponseSchema,
  ToolGatewayService,
} from "@toolgate/contract";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import { createClient } from "./index.ts";

describe("listTools", () => {
  const requests: ListToolsRequest[] = [];
  const tool = (name: string, toolset: string) => ({ name, toolset, inputSchema: '{"type":"object"}' });
  const transport = createRouterTransport(({ service }) => {
    service(ToolGatewayService, {
      listTools: (request) => {
        requests.push(request);
        const last = request.pageToken === "2";
        return create(ListToolsResponseSchema, {
          generation: last ? "8" : "7",
          total: 2,
          tools: [last ? tool("b", "x") : { ...tool("a", "y"), outputSchema: '{"maximum":9223372036854775807}' }],
          toolsets: [{ name: last ? "x" : "y", health: { state: HealthState.DEGRADED, reason: "slow" }, tools: 1 }],
          nextPageToken: last ? "" : "2",
          missing: [{ source: "file broken.yaml", reason: "cannot be read" }],
        });
      },
    });
  });
  const client = createClient({ transport });

  it("reads all pages and parses schemas", async () => {
    const list = await client.listTools({ query: "x", includeUnavailable: true });
    expect(list.tools.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(list.tools[0]?.inputSchema).toEqual({ type: "object" });
    expect(list.tools[0]?.outputSchema).toEqual({ maximum: 9223372036854775807n });
    expect(list.tools[1]?.outputSchema).toBeUndefined();
    expect(list.tools[1]?.inputSchemaText).toBe('{"type":"object"}');
    expect(list.toolsets).toEqual([
      {
        name: "x",
        aliases: [],
        health: { state: "degraded", reason: "slow" },
        tools: 1,
        availableTools: 0,
        source: "",
      },
      {
        name: "y",
        aliases: [],
        health: { state: "degraded", reason: "slow" },
        tools: 1,
        availableTools: 0,
        source: "",
      },
    ]);
    expect(list.generation).toBe("7");
    expect(list.missing).toEqual([{ source: "file broken.yaml", reason: "cannot be read" }]);
    expect(list.message).toMatchObject({ total: 2, nextPageToken: "" });
    expect(requests).toMatchObject([
      { query: "x", includeUnavailable: true, pageToken: "" },
      { query: "x", includeUnavailable: true, pageToken: "2" },
    ]);
  });

  it("reads one page", async () => {
    const page = await client.listToolsPage({}, { pageSize: 1 });
    expect(page.nextPageToken).toBe("2");
    expect(requests.at(-1)?.pageSize).toBe(1);
  });

  it("does not follow a page that leads to itself", async () => {
    const loop = createRouterTransport(({ service }) => {
      service(ToolGatewayService, { listTools: () => create(ListToolsResponseSchema, { nextPageToken: "again" }) });
    });
    expect((await failureOf(createClient({ transport: loop }).listTools())).code).toBe("INVALID_RESPONSE");
  });
});

describe("for operators", () => {
  const transport = createRouterTransport(({ service }) => {
    service(AdminService, {
      reload: () => ({
        added: ["a"],
        problems: [{ file: "b.yaml", line: 3, column: 5, message: "no" }],
        generation: "9",
      }),
      getStatus: () => ({ state: "ready", version: "0.1.0", startedAt: { seconds: 1n }, tools: 2, generation: "9" }),
    });
  });
  const client = createClient({ transport });

  it("reloads", async () => {
    expect(await client.reload()).toEqual({
      added: ["a"],
      changed: [],
      removed: [],
      problems: [{ file: "b.yaml", line: 3, column: 5, message: "no" }],
      generation: "9",
    });
  });

  it("tells the status", async () => {
    expect(await client.status()).toMatchObject({
      state: "ready",
      version: "0.1.0",
      startedAt: new Date(1000),
      tools: 2,
      generation: "9",
    });
  });
});
