import { AdminService } from "@toolgate/contract";
import { expect } from "vitest";
import { holds } from "./harness/eventually.ts";
import { writeFile } from "./harness/folder.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient, rpc } from "./harness/grpc-client.ts";
import { httpBackend } from "./harness/http-backend.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const TOOLS = {
  "web/search.yaml": clientTool("web_search", {
    description: "Find pages",
    capabilities: ["search"],
    tags: ["web", "fast"],
  }),
  "web/fetch.yaml": clientTool("web_fetch", { description: "Read one page", tags: ["web"] }),
  "mail/send.yaml": clientTool("mail_send", { title: "Send a page by mail", tags: ["slow"] }),
  "code.yaml": clientTool("Zcode", { capabilities: ["search", "code"] }),
};
const YAML = "toolsets: {web: {aliases: [internet]}}\n";
const NAMES = ["Zcode", "mail_send", "web_fetch", "web_search"];

async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

const namesOf = (list: { readonly tools: readonly { readonly name: string }[] }) => list.tools.map(({ name }) => name);

verifies(
  "list.order",
  "watch-04 (maximhq/bifrost#2347, openai/codex#2611): always the same, also after a restart",
  async () => {
    const gateway = await testGateway({ tools: TOOLS, yaml: YAML });
    const first = await get(`${gateway.http}/v1/tools`);
    for (let i = 0; i < 10; i++) expect(await get(`${gateway.http}/v1/tools`)).toEqual(first);
    const viaGrpc = await gateway.client.listTools();
    expect(namesOf(viaGrpc)).toEqual(NAMES);
    const body = JSON.parse(first.text);
    expect(namesOf(body)).toEqual(NAMES);
    expect(body.tools.map(({ revision }: { revision: string }) => revision)).toEqual(
      viaGrpc.tools.map(({ revision }) => revision),
    );

    const otherOrder = Object.fromEntries(Object.entries(TOOLS).reverse());
    const renamed = Object.fromEntries(
      Object.entries(otherOrder).map(([file, text], i) => [`${file.replace(/[^/]+$/, "")}${i}.yaml`, text]),
    );
    const again = await testGateway({ tools: renamed, yaml: YAML });
    const list = JSON.parse((await get(`${again.http}/v1/tools`)).text);
    const withoutSource = ({ source: _source, ...tool }: { source: string }) => tool;
    expect(list.tools.map(withoutSource)).toEqual(body.tools.map(withoutSource));
  },
);

verifies("list.filters", "one by one and together, through both doors", async () => {
  const gateway = await testGateway({ tools: TOOLS, yaml: YAML });
  const cases: readonly [query: string, filter: Parameters<typeof gateway.client.listTools>[0], names: string[]][] = [
    ["toolset=web", { toolset: "web" }, ["web_fetch", "web_search"]],
    ["toolset=internet", { toolset: "internet" }, ["web_fetch", "web_search"]],
    ["toolset=nothing", { toolset: "nothing" }, []],
    ["name=mail_send", { name: "mail_send" }, ["mail_send"]],
    ["capability=search", { capability: "search" }, ["Zcode", "web_search"]],
    ["tag=web", { tag: "web" }, ["web_fetch", "web_search"]],
    ["tag=web&capability=search", { tag: "web", capability: "search" }, ["web_search"]],
    ["query=page", { query: "page" }, ["mail_send", "web_fetch", "web_search"]],
    ["query=web%20page", { query: "web page" }, ["web_fetch", "web_search"]],
    ["query=web_search", { query: "web_search" }, ["web_search"]],
    ["query=giraffe", { query: "giraffe" }, []],
  ];
  for (const [query, filter, names] of cases) {
    expect(namesOf(await gateway.client.listTools(filter)), query).toEqual(names);
    expect(namesOf(JSON.parse((await get(`${gateway.http}/v1/tools?${query}`)).text)), query).toEqual(names);
  }
});

verifies("list.filters", "pages go on after the last name, also when tools come and go between them", async () => {
  const gateway = await testGateway({ tools: TOOLS, yaml: YAML });
  const first = await gateway.client.listToolsPage({}, { pageSize: 2 });
  expect([namesOf(first), first.total]).toEqual([["Zcode", "mail_send"], 4]);
  writeFile(`${gateway.folder}/tools/aaa.yaml`, clientTool("AAA"));
  await gateway.running.reload();
  const second = await gateway.client.listToolsPage({}, { pageSize: 2, pageToken: first.nextPageToken });
  expect([namesOf(second), second.nextPageToken]).toEqual([["web_fetch", "web_search"], ""]);

  const otherFilter = gateway.client.listToolsPage({ tag: "web" }, { pageToken: first.nextPageToken });
  await expect(otherFilter).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  const invented = gateway.client.listToolsPage({}, { pageToken: "bm90IGEgdG9rZW4" });
  await expect(invented).rejects.toThrow("page_token is not one that this gateway gave");
  const viaHttp = await get(`${gateway.http}/v1/tools?page_size=two`);
  expect(viaHttp).toMatchObject({ status: 400, text: expect.stringContaining("page_size must be a whole number") });
  const misspelt = await get(`${gateway.http}/v1/tools?tolset=web`);
  expect(misspelt).toMatchObject({ status: 400, text: expect.stringContaining("Did you mean toolset?") });
});

verifies("list.filters", "GET /v1/toolsets shows each toolset with its aliases and counts", async () => {
  const gateway = await testGateway({ tools: TOOLS, yaml: YAML });
  const { text } = await get(`${gateway.http}/v1/toolsets`);
  expect(JSON.parse(text).toolsets).toMatchObject([
    { name: "default", aliases: [], tools: 1, available_tools: 1, health: { state: "healthy" } },
    { name: "mail", aliases: [], tools: 1 },
    { name: "web", aliases: ["internet"], tools: 2, available_tools: 2 },
  ]);
});

verifies("list.not-modified", async () => {
  const gateway = await testGateway({ tools: TOOLS });
  const { generation } = await gateway.client.listTools();
  const ask = async (ifGeneration: string) => {
    const { text } = await get(`${gateway.http}/v1/tools?if_generation=${ifGeneration}`);
    return JSON.parse(text);
  };
  expect(await ask(generation)).toMatchObject({ generation, not_modified: true, tools: [], total: 0 });
  writeFile(`${gateway.folder}/tools/new.yaml`, clientTool("new"));
  await gateway.running.reload();
  const after = await ask(generation);
  expect(after).toMatchObject({ generation: String(Number(generation) + 1), not_modified: false, total: 5 });
});

verifies("list.unavailable", async () => {
  const backend = await httpBackend();
  const off = httpTool("off", backend.url, { enabled: false });
  const unset = httpTool("unset", backend.url, { check: { env: "TOOLGATE_E2E_NEVER_SET" } });
  const gateway = await testGateway({ tools: { "off.yaml": off, "unset.yaml": unset, "on.yaml": clientTool("on") } });
  expect(namesOf(await gateway.client.listTools())).toEqual(["on"]);
  const all = await gateway.client.listTools({ includeUnavailable: true });
  expect(all.tools.map(({ name, health }) => [name, health.state])).toEqual([
    ["off", "unavailable"],
    ["on", "healthy"],
    ["unset", "unavailable"],
  ]);
  expect(all.tools.map(({ health }) => health.reason)).toEqual([
    "switched off in its definition (enabled: false)",
    "",
    expect.stringContaining("TOOLGATE_E2E_NEVER_SET"),
  ]);
  for (const name of ["off", "unset"]) {
    const { status, envelope } = await callHttp(gateway, { tool: name });
    expect([status, envelope.error.code, envelope.error.retryable]).toEqual([503, "TOOL_UNAVAILABLE", true]);
    const reason = all.tools.find((tool) => tool.name === name)?.health.reason;
    expect(envelope.error.message).toBe(`The tool "${name}" cannot be used now: ${reason}.`);
  }
  expect(backend.requests).toEqual([]);
});

verifies(
  "list.unavailable",
  "watch-08 (openlinker-project/openlinker#1932): a tool that an operator switched off, for a client with an old list",
  async () => {
    const backend = await httpBackend();
    const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", backend.url) } });
    expect(namesOf(await gateway.client.listTools())).toEqual(["t"]);
    const { setToolEnabled } = AdminService.method;
    const admin = grpcClient(gateway.grpc);
    expect((await rpc(admin, setToolEnabled, { tool: "t", enabled: false })).known).toBe(true);
    expect(namesOf(await gateway.client.listTools())).toEqual([]);
    expect(await gateway.client.call("t")).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE", message: expect.stringContaining("switched off by an operator") },
    });
    expect(backend.requests).toEqual([]);
    await rpc(admin, setToolEnabled, { tool: "t", enabled: true });
    expect(await gateway.client.call("t")).toMatchObject({ status: "success" });
  },
);

verifies("list.missing", async () => {
  const gateway = await testGateway({ tools: { ...TOOLS, "broken.yaml": "name: broken\ntype: htp\n" } });
  const list = await gateway.client.listTools();
  expect(namesOf(list)).toEqual(NAMES);
  expect(list.missing).toEqual([
    { source: "file broken.yaml", reason: expect.stringContaining('"type" must be'), since: expect.any(Date) },
  ]);
  const { text } = await get(`${gateway.http}/v1/tools`);
  expect(JSON.parse(text).missing).toMatchObject([{ source: "file broken.yaml" }]);

  writeFile(`${gateway.folder}/tools/broken.yaml`, clientTool("mended"));
  await holds(async () => {
    const mended = await gateway.client.listTools();
    expect([mended.missing, namesOf(mended).includes("mended")]).toEqual([[], true]);
  });
});
