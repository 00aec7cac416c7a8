import { createHash } from "node:crypto";
import { expect } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { testGateway } from "./harness/gateway.ts";
import { bearer, grpcClient } from "./harness/grpc-client.ts";
import { httpBackend } from "./harness/http-backend.ts";
import { throughEachDoor } from "./harness/through-doors.ts";
import { httpTool } from "./harness/tool-file.ts";
import { Watcher } from "./harness/watcher.ts";
import { verifies } from "./verifies.ts";

/** A client whose key is its id. */
function client(id: string, keys: Readonly<Record<string, unknown>>) {
  return { id, key_hashes: [`sha256:${createHash("sha256").update(id).digest("hex")}`], ...keys };
}

/** A gateway with five tools in two toolsets, and these clients. */
async function ruled(...clients: readonly object[]) {
  const backend = await httpBackend();
  const tool = (name: string, keys: object = {}) => [`${name}.yaml`, httpTool(name, backend.url, { ...keys })] as const;
  const gateway = await testGateway({
    yaml: `clients: ${JSON.stringify(clients)}\n`,
    tools: Object.fromEntries([
      tool("web_search", { toolset: "web", annotations: { read_only: true } }),
      tool("web_post", { toolset: "web" }),
      tool("repo_read", { toolset: "repo", annotations: { read_only: true }, capabilities: ["read"] }),
      tool("repo_delete", { toolset: "repo", annotations: { destructive: true } }),
      tool("vault_read", { toolset: "repo", scopes: ["vault"], annotations: { read_only: true } }),
    ]),
  });
  return { gateway, backend };
}

const ALL = ["repo_delete", "repo_read", "vault_read", "web_post", "web_search"];

verifies("identity.rules", "list and call agree, tool by tool, through every door", async () => {
  const may: Readonly<Record<string, readonly string[]>> = {
    everything: ALL,
    web: ["web_post", "web_search"],
    reader: ["repo_read", "vault_read", "web_search"],
    careful: ["repo_read", "web_search"],
    pattern: ["repo_delete", "repo_read"],
    nothing: [],
  };
  const { gateway, backend } = await ruled(
    client("everything", {}),
    client("web", { allow: [{ toolset: "web" }] }),
    client("reader", { allow: [{ read_only: true }] }),
    client("careful", { scopes: [], allow: [{ read_only: true }] }),
    client("pattern", { allow: [{ tool: "repo_*" }, { toolset: "w*b" }], deny: [{ tool: "web_*" }] }),
    client("nothing", { allow: [] }),
  );
  for (const [key, names] of Object.entries(may)) {
    for (const { door, list, call } of throughEachDoor(gateway, key)) {
      expect([door, key, (await list()).names]).toEqual([door, key, names]);
      for (const tool of ALL) {
        const before = backend.requests.length;
        const { outcome } = await call(tool);
        expect([door, key, tool, outcome]).toEqual([
          door,
          key,
          tool,
          names.includes(tool) ? "success" : "PERMISSION_DENIED",
        ]);
        expect(backend.requests.length - before).toBe(names.includes(tool) ? 1 : 0);
      }
    }
    const watcher = new Watcher(grpcClient(gateway.grpc), {}, bearer(key));
    await eventually(() => watcher.isSynced).toBe(true);
    expect([...watcher.tools.keys()].sort()).toEqual(names);
  }
});

verifies("identity.rules", "the final tool of a capability is what counts", async () => {
  const { gateway } = await ruled(client("web", { allow: [{ toolset: "web" }] }), client("any", {}));
  const ask = async (key: string) => {
    const response = await fetch(`${gateway.http}/v1/call`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: '{"capability":"read"}',
    });
    return (await response.json()) as { tool: string; error?: { code: string } };
  };
  expect(await ask("any")).toMatchObject({ tool: "repo_read" });
  expect(await ask("web")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
});

verifies(
  "identity.hidden",
  "unknown and forbidden look alike where forbidden tools are hidden (github/gh-aw-mcpg#3332)",
  async () => {
    const { gateway, backend } = await ruled(
      client("hidden", { allow: [{ toolset: "web" }], hide_forbidden: true }),
      client("told", { allow: [{ toolset: "web" }] }),
    );
    for (const { door, call } of throughEachDoor(gateway, "hidden")) {
      const forbidden = await call("repo_read");
      const unknown = await call("repo_none");
      expect([door, forbidden.outcome, unknown.outcome]).toEqual([door, "TOOL_NOT_FOUND", "TOOL_NOT_FOUND"]);
      expect(forbidden.message.replaceAll("repo_read", "X")).toBe(unknown.message.replaceAll("repo_none", "X"));
    }
    for (const { call } of throughEachDoor(gateway, "told")) {
      const { outcome, message } = await call("repo_read");
      expect([outcome, message]).toEqual([
        "PERMISSION_DENIED",
        'The caller "told" may not use "repo_read": its rules do not allow it.',
      ]);
    }
    expect(backend.requests).toHaveLength(0);
  },
);

verifies(
  "identity.list-rules",
  "what is listed is set apart from what may be called (agentgateway/agentgateway#772)",
  async () => {
    const { gateway } = await ruled(client("trimmed", { list: [{ tool: "web_*" }], deny: [{ tool: "web_post" }] }));
    for (const { list, call } of throughEachDoor(gateway, "trimmed")) {
      expect((await list()).names).toEqual(["web_search"]);
      expect((await call("repo_read")).outcome).toBe("success");
      expect((await call("web_post")).outcome).toBe("PERMISSION_DENIED");
    }
  },
);

verifies(
  "list.empty-reason",
  "a key without grants is told so, and not that there is nothing (BerriAI/litellm#17650)",
  async () => {
    const { gateway } = await ruled(client("nothing", { allow: [] }), client("unlisted", { list: [] }));
    for (const { door, list } of throughEachDoor(gateway, "nothing")) {
      expect([door, await list()]).toEqual([door, { names: [], emptyReason: "not_permitted" }]);
    }
    for (const { list } of throughEachDoor(gateway, "unlisted")) {
      expect(await list()).toEqual({ names: [], emptyReason: "not_listed" });
    }
    const empty = await testGateway();
    for (const { list } of throughEachDoor(empty)) expect(await list()).toEqual({ names: [], emptyReason: "no_tools" });
    expect((await empty.client.listTools({ name: "x" })).emptyReason).toBe("no_tools");
  },
);
