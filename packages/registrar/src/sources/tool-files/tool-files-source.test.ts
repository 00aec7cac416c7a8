/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like this */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatProblem } from "@toolgate/documents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tempFolder } from "./temp-folder.fixture.ts";
import { type LoadedTools, ToolFilesSource } from "./tool-files-source.ts";
import type { ToolKind } from "./tool-kind.ts";

const http: ToolKind = {
  kind: "http",
  shape: { endpoint: z.string(), method: z.string().optional(), headers: z.record(z.string(), z.string()).optional() },
  toBackend: (keys) => ({ kind: "http", name: "host", settings: keys as never }),
};
const builtin: ToolKind = { kind: "builtin", shape: {}, toBackend: () => undefined };

function open(env: Readonly<Record<string, string>> = {}) {
  const dir = tempFolder();
  const source = new ToolFilesSource({ dir, kinds: [http, builtin], env });
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(dir, name), text);
  return { dir, source, write };
}

const tool = (name: string, description = "") =>
  `name: ${name}\ntype: http\nendpoint: http://b/\ndescription: "${description}"\n`;

function summary({ toolsets }: LoadedTools): Record<string, string> {
  const tools = toolsets.flatMap(({ name, tools }) => tools.map((offered) => ({ name, ...offered })));
  return Object.fromEntries(
    tools.map(({ name, definition, source }) => [
      `${name}/${definition.name}`,
      `${source} ${definition.description}`.trim(),
    ]),
  );
}

const problemsOf = ({ problems }: LoadedTools) => problems.map(formatProblem);

describe("ToolFilesSource", () => {
  it("reads a folder: toolsets by folder, sources by path", async () => {
    const { dir, source, write } = open();
    mkdirSync(join(dir, "web"));
    write("weather_tool.yaml", readFileSync(new URL("fixtures/weather_tool.yaml", import.meta.url)));
    write("web/search.yml", readFileSync(new URL("fixtures/tools_list.yaml", import.meta.url)));
    write("web/fetch.json", '{\n\t"name": "fetch", "type": "http", "endpoint": "http://b/"\n}');
    const loaded = await source.load();
    expect(summary(loaded)).toEqual({
      "default/weather_query": "file weather_tool.yaml 查询指定城市的天气信息",
      "web/fetch": "file web/fetch.json",
      "web/web_search": "file web/search.yml",
    });
    expect(loaded.toolsets.map(({ name, source }) => [name, source])).toEqual([
      ["default", "file weather_tool.yaml"],
      ["web", "2 files"],
    ]);
    expect(loaded.toolsets[1]?.tools).toMatchObject([
      { file: "web/fetch.json", line: 1 },
      { file: "web/search.yml", line: 2 },
    ]);
    expect([loaded.problems, loaded.missing]).toEqual([[], []]);
  });

  it("keeps the last good tools while a file is cut, half written or bad (ops-04, MervinPraison/PraisonAI#5144, Soul-Brews-Studio/arra-oracle-v3#1176)", async () => {
    const { dir, source, write } = open();
    const text = tool("a", "first");
    write("a.yaml", text);
    write("b.yaml", tool("b"));
    const good = summary(await source.load());
    truncateSync(join(dir, "a.yaml"));
    const cut = await source.load();
    expect([summary(cut), problemsOf(cut)]).toEqual([good, ["a.yaml:1:1: The file is empty."]]);
    write("a.yaml", text.slice(0, 18));
    const half = await source.load();
    expect([summary(half), problemsOf(half)]).toEqual([
      good,
      ['a.yaml:1:1: The key "endpoint" is missing: expected text.'],
    ]);
    write("a.yaml", `${text}timeout: [1\n`);
    const bad = await source.load();
    expect(summary(bad)).toEqual(good);
    expect(problemsOf(bad)).toEqual([expect.stringMatching(/^a\.yaml:6:1: A list/)]);
    expect(bad.missing).toEqual([]);
    write("a.yaml", tool("a", "second"));
    const mended = await source.load();
    expect(summary(mended)).toMatchObject({ "default/a": "file a.yaml second" });
    expect(mended.problems).toEqual([]);
  });

  it("takes the tools of a file that is gone, and names one that never was good", async () => {
    const { dir, source, write } = open();
    write("a.yaml", tool("a"));
    write("b.yaml", "name: b\n");
    const first = await source.load();
    expect(first.missing).toEqual([{ source: "file b.yaml", reason: expect.stringMatching(/"type" is missing/) }]);
    rmSync(join(dir, "a.yaml"));
    rmSync(join(dir, "b.yaml"));
    expect(await source.load()).toEqual({ toolsets: [], problems: [], missing: [] });
  });

  it("leaves a name with the file that had it", async () => {
    const { source, write } = open();
    write("m.yaml", tool("a", "mine"));
    await source.load();
    write("b.yaml", tool("a", "other"));
    const loaded = await source.load();
    expect(summary(loaded)).toEqual({ "default/a": "file m.yaml mine" });
    expect(problemsOf(loaded)).toEqual([expect.stringMatching(/^b\.yaml:1:1: .*taken by the file m\.yaml/)]);
  });

  it("leaves a name with a file that is bad now", async () => {
    const { source, write } = open();
    write("m.yaml", tool("a", "mine"));
    await source.load();
    write("b.yaml", tool("a", "other"));
    write("m.yaml", "name: [");
    expect(summary(await source.load())).toEqual({ "default/a": "file m.yaml mine" });
  });

  it("keeps the tools of a file that is renamed", async () => {
    const { dir, source, write } = open();
    write("a.yaml", tool("a"));
    await source.load();
    renameSync(join(dir, "a.yaml"), join(dir, "z.yaml"));
    expect(summary(await source.load())).toEqual({ "default/a": "file z.yaml" });
  });

  it("keeps everything while the folder is away, and says so", async () => {
    const { dir, source, write } = open();
    write("a.yaml", tool("a"));
    const good = summary(await source.load());
    renameSync(dir, `${dir}.away`);
    const away = await source.load();
    expect([summary(away), problemsOf(away), away.missing]).toEqual([
      good,
      [".:1:1: The folder of tool files does not exist."],
      [],
    ]);
    renameSync(`${dir}.away`, dir);
    expect(await source.load()).toMatchObject({ problems: [], missing: [] });
    const empty = new ToolFilesSource({ dir: join(dir, "none"), kinds: [], env: {} });
    expect((await empty.load()).missing).toEqual([
      { source: "the folder of tool files", reason: "The folder of tool files does not exist." },
    ]);
  });

  it("keeps the tools of a link while its target is away", async () => {
    const { dir, source } = open();
    const target = join(tempFolder(), "x.yaml");
    writeFileSync(target, tool("a"));
    symlinkSync(target, join(dir, "a.yaml"));
    const good = summary(await source.load());
    rmSync(target);
    const away = await source.load();
    expect([summary(away), problemsOf(away)]).toEqual([good, ["a.yaml:1:1: The file does not exist."]]);
  });

  it("resolves references, and never shows what they stand for", async () => {
    const { dir, source, write } = open({ KEY: "s3cret" });
    mkdirSync(join(dir, "web"));
    write("web/key", "from a file\n");
    write("web/a.yaml", `${tool("a")}headers:\n  x: \${KEY}\n  y: file:key\n`);
    write("b.yaml", `${tool("b")}headers:\n  x: \${KEY}\${NONE}\n`);
    const loaded = await source.load();
    expect(loaded.toolsets[0]?.tools[0]?.definition.backend?.settings.headers).toEqual({
      x: "s3cret",
      y: "from a file",
    });
    expect(problemsOf(loaded)).toEqual(["b.yaml:6:6: The environment variable NONE is not set."]);
  });

  it("gives one clear error for each malformed file, and crashes on none", async () => {
    const { source, write } = open();
    const files: Readonly<Record<string, string | Uint8Array>> = {
      "tab.yaml": "name: x\nparams:\n\t- name: y\n",
      "indent.yaml": "name: x\n  type: http\n",
      "twice.yaml": "name: x\nname: y\n",
      "bomb.yaml": `a: &a [x,x]\n${[..."bcdefghijklmnopqrstuvwxyz"].map((c, i) => `${c}: &${c} [*${"abcdefghijklmnopqrstuvwxyz"[i]},*${"abcdefghijklmnopqrstuvwxyz"[i]}]`).join("\n")}\n`,
      "nul.yaml": "name: x\0y\n",
      "huge.yaml": `name: ${"x".repeat(1_100_000)}\n`,
      "monster.yaml": new Uint8Array(4 * 1024 * 1024 + 1),
      "latin1.yaml": Uint8Array.from([0x6e, 0x3a, 0x20, 0xe9, 0x0a]),
      "utf16.yaml": Uint8Array.from([0xff, 0xfe, 0x6e, 0x00]),
      "binary.yaml": Uint8Array.from({ length: 256 }, (_, index) => index),
      "proto.yaml": "__proto__: {type: http}\n",
      "list.yaml": "- name: x\n",
      "text.yaml": "hello\n",
      "json.json": '{"name": "x",',
      "deep.json": "[".repeat(20_000),
    };
    for (const [name, content] of Object.entries(files)) write(name, content);
    write("good.yaml", `\uFEFF${tool("good")}`);
    const loaded = await source.load();
    expect(Object.keys(summary(loaded))).toEqual(["default/good"]);
    expect(loaded.problems.map(({ file }) => file)).toEqual(Object.keys(files).sort());
    expect(loaded.problems.every(({ line, column, message }) => line > 0 && column > 0 && message.length < 300)).toBe(
      true,
    );
    expect(loaded.missing).toHaveLength(Object.keys(files).length);
  });

  it("loads one at a time", async () => {
    const { source, write } = open();
    write("a.yaml", tool("a"));
    const loads = await Promise.all([source.load(), source.load(), source.load()]);
    expect(loads.map((loaded) => Object.keys(summary(loaded)))).toEqual([["default/a"], ["default/a"], ["default/a"]]);
  });

  it("prepares a kind by each text, resolves its paths beside the file, and asks it for a schema that nobody states", async () => {
    const dir = tempFolder();
    const texts: string[] = [];
    const kind: ToolKind = {
      kind: "described",
      shape: { proto: z.string() },
      prepare: async (text) => void texts.push(text),
      toBackend: ({ proto }, { resolvePath }) => {
        return { kind: "described", name: "b", settings: { proto: resolvePath?.(String(proto)) ?? "" } };
      },
      inputSchema: () => ({ type: "object", title: "from the kind" }),
    };
    mkdirSync(join(dir, "sub"));
    const text = (name: string) => `name: ${name}\ntype: described\nproto: ../a.proto\n`;
    writeFileSync(join(dir, "sub/a.yaml"), text("a"));
    writeFileSync(join(dir, "sub/b.yaml"), `${text("b")}input_schema: {title: its own}\n`);
    const { toolsets } = await new ToolFilesSource({ dir, kinds: [kind] }).load();
    expect(texts).toHaveLength(2);
    const definitions = toolsets.flatMap(({ tools }) => tools.map(({ definition }) => definition));
    expect(definitions.map(({ backend }) => backend?.settings.proto)).toEqual(Array(2).fill(join(dir, "a.proto")));
    expect(definitions.map(({ inputSchema }) => inputSchema?.value)).toEqual([
      { type: "object", title: "from the kind" },
      { title: "its own" },
    ]);
  });
});
