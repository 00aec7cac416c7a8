import { readFileSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createClient } from "@toolgate/client";
import { expect, onTestFinished, vi } from "vitest";
import { holds } from "./harness/eventually.ts";
import { writeFile } from "./harness/folder.ts";
import { testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { serving } from "./harness/serving.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const ARTICLES = "../../../../packages/registrar/src/sources/tool-files/fixtures/";
const article = (file: string) => readFileSync(new URL(ARTICLES + file, import.meta.url), "utf8");

/** The parts of gateway.yaml that the articles show, set in lines. */
const ARTICLE_CONFIGURATION = `
rate_limits:
  global:
    max_concurrent: 100
    max_qps: 500
  per_tool:
    web_search:
      max_concurrent: 20
      max_qps: 100
    code_execute:
      max_concurrent: 5
      max_qps: 10
  per_client:
    max_concurrent: 10
    max_qps: 50
cache:
  enabled: true
  default_ttl: 60s
  rules:
    - tool: web_search
      ttl: 300s
    - tool: stock_price
      ttl: 10s
pipelines:
  - name: research_and_summarize
    steps:
      - tool: web_search
        params:
          query: "{{input.topic}}"
          max_results: 10
        output: search_results
      - tool: summarize
        params:
          text: "{{search_results.text}}"
          max_length: 500
        output: summary
    output: summary
`;

verifies("files.load", "as the articles have them", async () => {
  const backend = await httpBackend(() => json({ data: { temp: 21, weather: "sunny", humidity: 38 } }));
  const weather = article("weather_tool.yaml");
  const gateway = await testGateway({
    tools: {
      "weather_tool.yaml": weather,
      "tools_list.yaml": article("tools_list.yaml"),
      // The sample's port belongs to whoever has it; the same file with ours.
      "weather_here.yaml": weather
        .replace("weather_query", "weather_here")
        .replace("http://localhost:8080", backend.url),
    },
    yaml: ARTICLE_CONFIGURATION,
  });
  expect(gateway.running.problems()).toEqual([]);
  const { tools } = await gateway.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["weather_here", "weather_query", "web_search"]);
  expect(tools.map(({ backend: label }) => label).slice(1)).toEqual(["http:localhost:8080", "builtin:search"]);
  expect(tools[2]?.inputSchema).toEqual({
    type: "object",
    properties: { query: { type: "string" }, max_results: { type: "integer", default: 5 } },
    required: ["query"],
    additionalProperties: false,
  });
  expect(tools[1]).toMatchObject({ description: "查询指定城市的天气信息", message: { timeout: { seconds: 5n } } });
  expect(await gateway.client.call("weather_here", { city: "北京" })).toMatchObject({
    data: { temperature: 21, condition: "sunny", humidity: 38 },
  });
  expect(backend.requests[0]?.url).toBe(`/weather?city=${encodeURIComponent("北京")}`);
});

verifies(
  "files.load",
  "a file of one tool or of a list; the folder names the toolset, the file can name another",
  async () => {
    const list = { tools: [JSON.parse(clientTool("one")), JSON.parse(clientTool("two", { toolset: "elsewhere" }))] };
    const gateway = await testGateway({
      tools: {
        "list.json": JSON.stringify(list),
        "team/alone.yml": clientTool("alone"),
        "team/deep/er.yaml": clientTool("deeper"),
        "notes.txt": "not a tool file",
        ".hidden.yaml": "not: read",
      },
    });
    expect(gateway.running.problems()).toEqual([]);
    const { tools } = await gateway.client.listTools();
    expect(tools.map(({ name, toolset, source }) => [name, toolset, source])).toEqual([
      ["alone", "team", "file team/alone.yml"],
      ["deeper", "deep", "file team/deep/er.yaml"],
      ["one", "default", "file list.json"],
      ["two", "elsewhere", "file list.json"],
    ]);
  },
);

verifies("files.load", "a secret comes from the environment or a file, and is shown to nobody", async () => {
  vi.stubEnv("TOOLGATE_E2E_SECRET", "s3cret-one");
  onTestFinished(() => void vi.unstubAllEnvs());
  const backend = await httpBackend();
  const headers = { authorization: `Bearer \${TOOLGATE_E2E_SECRET}`, "x-key": "file:../key" };
  const gateway = await testGateway({
    files: { key: "s3cret-two\n" },
    tools: {
      "t.yaml": httpTool("t", backend.url, { headers }),
      "unset.yaml": httpTool("unset", backend.url, { headers: { "x-key": `\${TOOLGATE_E2E_UNSET}` } }),
    },
  });
  expect(await gateway.client.call("t")).toMatchObject({ status: "success" });
  expect(backend.requests[0]?.headers).toMatchObject({ authorization: "Bearer s3cret-one", "x-key": "s3cret-two" });
  expect(gateway.running.problems()).toEqual([
    { file: "unset.yaml", line: 1, column: expect.any(Number), message: expect.stringContaining("TOOLGATE_E2E_UNSET") },
  ]);
  const shown = await (await fetch(`${gateway.http}/v1/tools?include_unavailable=true`)).text();
  expect(shown + gateway.logged()).not.toContain("s3cret");
});

const version = (text: string) => clientTool("t", { description: text });

/** A gateway with one tool "t", whose description is the version of its file. */
async function gatewayWithFile(first = version("1")) {
  const gateway = await testGateway({ tools: { "t.yaml": first } });
  const shown = () => gateway.running.snapshot().tools.get("t")?.tool.description;
  return { gateway, file: join(gateway.folder, "tools/t.yaml"), shown };
}

/** What is saved is in force within this time. */
const SOON = { timeout: 2_000, interval: 10 };

verifies("files.reload", "after a save in place", async () => {
  const { file, shown } = await gatewayWithFile();
  writeFile(file, version("2"));
  await expect.poll(shown, SOON).toBe("2");
});

verifies(
  "files.reload",
  "ops-05 (openclaw/openclaw#105623): after ten saves in 300 ms the last one counts",
  async () => {
    const { file, shown } = await gatewayWithFile();
    for (let i = 1; i <= 10; i++) {
      writeFile(file, version(`save ${i}`));
      await setTimeout(30);
    }
    await expect.poll(shown, SOON).toBe("save 10");
  },
);

verifies("files.reload", "ops-05 (openclaw/openclaw#105623): after a save by rename", async () => {
  const { file, shown } = await gatewayWithFile();
  writeFile(`${file}.tmp`, version("renamed"));
  renameSync(`${file}.tmp`, file);
  await expect.poll(shown, SOON).toBe("renamed");
});

verifies("files.reload", "ops-05 (openclaw/openclaw#105623): after a symlink swap, as of a ConfigMap", async () => {
  const { gateway, file, shown } = await gatewayWithFile();
  const mount = join(gateway.folder, "tools");
  const publish = (name: string, text: string) => {
    writeFile(join(mount, name, "t.yaml"), text);
    symlinkSync(name, join(mount, "..data_tmp"));
    renameSync(join(mount, "..data_tmp"), join(mount, "..data"));
  };
  publish("..2026_01", version("map 1"));
  unlinkSync(file);
  symlinkSync("..data/t.yaml", file);
  await expect.poll(shown, SOON).toBe("map 1");
  publish("..2026_02", version("map 2"));
  await expect.poll(shown, SOON).toBe("map 2");
});

verifies("files.reload", "a new file brings its tool, a deleted one takes it away", async () => {
  const { gateway, file } = await gatewayWithFile();
  const names = () => [...gateway.running.snapshot().tools.keys()].sort();
  writeFile(join(gateway.folder, "tools/team/u.yaml"), clientTool("u"));
  await expect.poll(names, SOON).toEqual(["t", "u"]);
  unlinkSync(file);
  await expect.poll(names, SOON).toEqual(["u"]);
});

verifies("files.reload", "after SIGHUP, and as told by AdminService.Reload", async () => {
  const gateway = await serving({ tools: { "t.yaml": version("1") } });
  const client = createClient({ address: gateway.grpc });
  onTestFinished(() => client.close());
  const shown = async () => (await client.listTools()).tools[0]?.description;
  writeFile(join(gateway.folder, "tools/t.yaml"), version("2"));
  gateway.child.kill("SIGHUP");
  await expect.poll(shown, SOON).toBe("2");
  writeFile(join(gateway.folder, "tools/t.yaml"), version("3"));
  writeFile(join(gateway.folder, "tools/u.yaml"), clientTool("u"));
  // The folder's own watch may have seen the change before; then nothing is left to tell.
  const { changed, added, problems } = await client.reload();
  expect([["t"], []]).toContainEqual(changed);
  expect([["u"], []]).toContainEqual(added);
  expect(problems).toEqual([]);
  expect(await shown()).toBe("3");
});

verifies(
  "files.last-good",
  "ops-04 (MervinPraison/PraisonAI#5144): a file that is truncated, written in parts and then spoilt",
  async () => {
    const { gateway, file, shown } = await gatewayWithFile(`name: t\nexecution: client\ndescription: "1"\n`);
    const seen = new Set<string | undefined>();
    const look = async (text: string) => {
      writeFile(file, text);
      await gateway.running.reload();
      seen.add(shown());
    };
    await look("");
    await look("name: t\nexecut");
    await look('name: t\nexecution: client\ndescription: "2');
    expect([...seen]).toEqual(["1"]);
    await look('name: t\nexecution: client\ndescription: "2"\n');
    expect(shown()).toBe("2");
    await look("name: t\nexecution: client\ntimeout: 5\n");
    await look("name: t\nexecution: client\ntimeout: 5\n");
    expect(shown()).toBe("2");
    expect(gateway.running.problems()).toEqual([
      { file: "t.yaml", line: 3, column: 10, message: expect.stringContaining('write "5s"') },
    ]);
    const told = gateway
      .logged()
      .split("\n")
      .filter((line) => line.includes("t.yaml:3:10"));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] ?? "{}")).toMatchObject({ level: 50 });
    expect((await gateway.client.status()).problems).toMatchObject([{ file: "t.yaml", line: 3, column: 10 }]);
    expect(await gateway.client.call("t")).toMatchObject({ status: "delegated" });
  },
);

verifies("files.last-good", "a name that two files want stays with the one that has it", async () => {
  const { gateway, shown } = await gatewayWithFile(version("first"));
  writeFile(join(gateway.folder, "tools/a-before-t.yaml"), version("second"));
  await holds(() => {
    expect(gateway.running.problems()).toMatchObject([
      { file: "a-before-t.yaml", line: 1, message: expect.stringContaining('"t" is taken by the file t.yaml') },
    ]);
  });
  expect(shown()).toBe("first");
});
