import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { holds } from "./harness/eventually.ts";
import { temporaryFolder, writeFile } from "./harness/folder.ts";
import { freePort } from "./harness/free-port.ts";
import { type TestGateway, testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { finished, type RunOptions, toolgate } from "./harness/process.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const PARAMS = [
  { name: "id", type: "string", required: true },
  { name: "limit", type: "integer" },
  { name: "tags", type: "array", items: { type: "string" } },
];

/** `toolgate ARGS` against this gateway, to its end. */
function cli(gateway: Pick<TestGateway, "grpc">, args: readonly string[], options: RunOptions = {}) {
  return finished(toolgate(["--gateway", gateway.grpc, ...args], options));
}

async function gatewayWithSearch() {
  const backend = await httpBackend(({ body }) => json({ got: JSON.parse(body) }));
  const search = httpTool("find", backend.url, {
    method: "POST",
    params: PARAMS,
    owner: "search team",
    contact: "#search",
  });
  const gateway = await testGateway({ tools: { "find.yaml": search } });
  return { backend, gateway };
}

verifies("cli.call", "values are read by the tool's schema (cli-02, openclaw/mcporter#119)", async () => {
  const { backend, gateway } = await gatewayWithSearch();
  const { code, stdout } = await cli(gateway, [
    "call",
    "find",
    "--param",
    "id=000123",
    "--param=limit=5",
    "--param",
    "tags=a",
    "--param",
    "tags=b",
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ got: { id: "000123", limit: 5, tags: ["a", "b"] } });
  expect(backend.requests).toHaveLength(1);
});

verifies(
  "cli.call",
  "cut at the first =; empty text for a string, refused for an integer (cli-03, cli-05)",
  async () => {
    const { backend, gateway } = await gatewayWithSearch();
    expect(JSON.parse((await cli(gateway, ["call", "find", "--param", "id=a:=b=c"])).stdout)).toEqual({
      got: { id: "a:=b=c" },
    });
    expect(JSON.parse((await cli(gateway, ["call", "find", "--param", "id="])).stdout)).toEqual({ got: { id: "" } });
    for (const wrong of ["limit=", "limt=5"]) {
      const { code, stdout, stderr } = await cli(gateway, ["call", "find", "--param", "id=1", "--param", wrong]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("limit");
    }
    expect(backend.requests).toHaveLength(2);
  },
);

verifies("cli.call", "an error is told on stderr, with --json as the envelope on stdout", async () => {
  const { gateway } = await gatewayWithSearch();
  const told = await cli(gateway, ["call", "nope"]);
  expect({ code: told.code, stdout: told.stdout }).toEqual({ code: 1, stdout: "" });
  expect(told.stderr).toContain('TOOL_NOT_FOUND There is no tool named "nope"');
  const { code, stdout } = await cli(gateway, ["call", "nope", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ status: "error", error: { code: "TOOL_NOT_FOUND" } });
});

verifies("cli.list", async () => {
  const { gateway } = await gatewayWithSearch();
  const table = await cli(gateway, ["list-tools", "--verbose"]);
  expect(table.code).toBe(0);
  expect(table.stdout).toMatch(/find +healthy\n +toolset +default/);
  for (const part of ["file find.yaml", "search team", "#search"]) expect(table.stdout).toContain(part);
  const { code, stdout } = await cli(gateway, ["list-tools", "--json"]);
  expect(code).toBe(0);
  const list = JSON.parse(stdout);
  expect(list.tools).toMatchObject([{ name: "find", toolset: "default", input_schema: { required: ["id"] } }]);
  expect(list).toEqual(await (await fetch(`${gateway.http}/v1/tools`)).json());
});

verifies("cli.list", "--verbose says of tools and toolsets where they come from and what last went wrong", async () => {
  const backend = await httpBackend(() => json({ password: "hunter2" }, 500));
  const health = await httpBackend(() => json({}, 503));
  const check = { http: `${health.url}/health` };
  const gateway = await testGateway({
    tools: {
      "web/broken.yaml": httpTool("broken", backend.url, { owner: "web team", contact: "#web" }),
      "web/down.yaml": httpTool("down", backend.url, { check }),
    },
  });
  const called = await gateway.client.call("broken");
  expect(called).toMatchObject({ error: { code: "TOOL_ERROR", message: expect.stringContaining("hunter2") } });
  const TIME = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
  const { stdout } = await cli(gateway, ["list-tools", "--verbose", "--all"]);
  const [broken = "", down = "", toolset = ""] = stdout.split("\n\n");
  expect(broken).toMatch(/^broken {2}healthy\n/);
  for (const row of ["source +file web/broken.yaml", "owner +web team", "contact +#web", "instances +1"])
    expect(broken).toMatch(new RegExp(`^ +${row}$`, "m"));
  expect(broken).toMatch(
    new RegExp(`last error +${TIME} in a call: TOOL_ERROR, The tool answered with an error \\(500\\)`),
  );
  expect(down).toMatch(new RegExp(`^down {2}unavailable\n[^]*last error +${TIME} at its check: GET .*answered 503`));
  expect(toolset).toMatch(
    new RegExp(`^toolset web {2}degraded\n[^]*last error +${TIME} in a call of broken: TOOL_ERROR`),
  );

  const { stdout: text } = await cli(gateway, ["list-tools", "--json"]);
  const list = JSON.parse(text);
  const lastError = { during: "call", code: "TOOL_ERROR", tool: "broken", at: expect.stringMatching(TIME) };
  expect(list.tools).toMatchObject([{ name: "broken", last_error: lastError }]);
  expect(list.toolsets).toMatchObject([{ name: "web", last_error: lastError }]);
  // What one caller was answered is no other's business.
  expect(stdout + text).not.toContain("hunter2");
});

verifies("cli.validate", async () => {
  const folder = temporaryFolder({
    "bad.yaml": "name: x\ntype: http\nendpoint: http://localhost/x\nparms: []\n",
    "worse.yaml": "name: x\n\ttype: http\n",
    "good.yaml": httpTool("x", "http://localhost/x"),
  });
  const bad = await finished(
    toolgate(["validate", "--file", join(folder, "bad.yaml"), "--file", join(folder, "worse.yaml")]),
  );
  expect({ code: bad.code, stdout: bad.stdout }).toEqual({ code: 2, stdout: "" });
  expect(bad.stderr).toMatch(/bad\.yaml:4:1: .*"parms".*"params"/);
  expect(bad.stderr).toMatch(/worse\.yaml:2:1: .*[Tt]ab/);
  const good = await finished(toolgate(["validate", "--file", join(folder, "good.yaml")]));
  expect(good).toMatchObject({ code: 0, stderr: "" });
});

verifies("cli.reload", async () => {
  const { gateway } = await gatewayWithSearch();
  writeFile(join(gateway.folder, "tools/more.yaml"), httpTool("more", "http://127.0.0.1:9/x"));
  writeFile(join(gateway.folder, "tools/bad.yaml"), "name: [\n");
  const { code, stdout, stderr } = await cli(gateway, ["reload"]);
  expect(code).toBe(1);
  expect(stdout + stderr).toContain("bad.yaml:2:1");
  await holds(() => expect(gateway.running.snapshot().tools.has("more")).toBe(true));
});

verifies("cli.init", async () => {
  const folder = join(temporaryFolder(), "mine");
  expect(await finished(toolgate(["init", folder]))).toMatchObject({ code: 0 });
  const before = readFileSync(join(folder, "gateway.yaml"), "utf8");
  const again = await finished(toolgate(["init", folder]));
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("gateway.yaml");
  expect(readFileSync(join(folder, "gateway.yaml"), "utf8")).toBe(before);
  expect(existsSync(join(folder, "tools"))).toBe(true);
  const env = { TOOLGATE_LISTEN_GRPC: "0", TOOLGATE_LISTEN_HTTP: "0", TOOLGATE_LISTEN_ADMIN: "0" };
  const serving = toolgate(["serve", "--config", join(folder, "gateway.yaml")], { env });
  const [, grpc = ""] = await serving.printed(/^ +gRPC +(\S+)/m);
  const list = await cli({ grpc }, ["list-tools", "--all"]);
  expect(list.stdout).toContain("weather_query");
});

verifies("cli.exit-codes", "a gateway that is not there is 3, wrong usage is 2 (cli-06)", async () => {
  const port = await freePort();
  const nobody = await cli({ grpc: `127.0.0.1:${port}` }, ["list-tools", "--json"]);
  expect({ code: nobody.code, stdout: nobody.stdout }).toEqual({ code: 3, stdout: "" });
  expect(nobody.stderr).toContain(`Cannot reach a gateway at 127.0.0.1:${port}: connection refused`);
  for (const wrong of [["call"], ["nonsense"], ["call", "x", "--nonsense"], ["call", "x", "--param", "noequals"]]) {
    const { code, stdout, stderr } = await cli({ grpc: `127.0.0.1:${port}` }, wrong);
    expect({ wrong, code, stdout }).toEqual({ wrong, code: 2, stdout: "" });
    expect(stderr).not.toBe("");
  }
});
