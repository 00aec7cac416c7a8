import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "@toolgate/core";
import { anInvocation } from "@toolgate/testkit/backend-suite";
import { aTool } from "@toolgate/testkit/builders";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf } from "../../../test/calling.ts";
import { createBuiltinBackend, createDocsTools, type DocsOptions, handlersOf } from "../index.ts";

let root: string;
let clock = 0;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolgate-docs-"));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

function library(options: Partial<DocsOptions> = {}) {
  const toolset = createDocsTools({ root, now: () => clock, ...options });
  const backend = createBuiltinBackend(handlersOf([toolset]));
  const tool = aTool({ ...toolset.tools[0]?.definition });
  const search = async (query: string, more: JsonObject = {}) => {
    const reply = await backend.invoke(anInvocation(tool, { query, ...more }));
    return (reply.kind === "value" ? reply.value : {}) as JsonObject & { results: JsonObject[]; total: number };
  };
  return { backend, tool, search };
}

const GUIDE = `# Gateway guide

What this is about.

## Rate limits

Every tool may have a limit such as 10/min. Callers that go over it are told when to come back.

\`\`\`yaml
# not a heading
rate_limit: 10/min
\`\`\`

## Retries

Only idempotent tools are tried again, with exponential backoff.
`;

const CHINESE = `# 工具网关

## 缓存策略与性能调优

对于幂等的工具调用，网关可以把结果缓存起来，相同的请求在缓存有效期内直接返回缓存结果。

## 限流保护

频率限制：限制单位时间内的调用次数，比如每分钟最多 60 次。
`;

describe("docs_search", () => {
  it("finds the section, with its file, heading and line", async () => {
    await put("guide/limits.md", GUIDE);
    await put("other.txt", "Nothing of interest.");
    const { search } = library();
    const { results, total, indexed_files } = await search("when are callers told to come back");
    expect(results[0]).toMatchObject({
      title: "Gateway guide",
      path: "guide/limits.md",
      url: "guide/limits.md#L7",
      heading: "Gateway guide > Rate limits",
      line: 7,
      snippet: expect.stringContaining("told when to come back"),
    });
    expect(total).toBeGreaterThan(0);
    expect(indexed_files).toBe(2);
  });

  it("finds Chinese, by words and by parts of words that no dictionary has", async () => {
    await put("zh.md", CHINESE);
    await put("en.md", GUIDE);
    const { search } = library();
    for (const query of ["缓存策略", "结果缓存", "幂等"]) {
      expect((await search(query)).results[0], query).toMatchObject({ heading: "工具网关 > 缓存策略与性能调优" });
    }
    for (const query of ["限流", "频率限制", "每分钟最多多少次"]) {
      expect((await search(query)).results[0], query).toMatchObject({ heading: "工具网关 > 限流保护" });
    }
    expect((await search("网")).total).toBeGreaterThan(0);
    expect((await search("缓存")).results[0]?.snippet).toContain("缓存");
  });

  it("forgives a slip of spelling, and reads the parts of names", async () => {
    await put("code.md", "# Code\n\nCall createHttpBackend or read_file.\n");
    await put("guide.md", GUIDE);
    const { search } = library();
    expect((await search("idempotant")).results[0]).toMatchObject({ heading: "Gateway guide > Retries" });
    expect((await search("http backend")).results[0]).toMatchObject({ path: "code.md" });
    expect((await search("READ_FILE")).results[0]).toMatchObject({ path: "code.md" });
  });

  it("gives no more results than were asked for, and says how many there are", async () => {
    for (let n = 0; n < 12; n += 1) await put(`${n}.md`, `# Page ${n}\n\nA page about walruses.\n`);
    const { search } = library();
    expect(await search("walruses")).toMatchObject({ total: 12, results: { length: 5 } });
    expect((await search("walruses", { max_results: 12 })).results).toHaveLength(12);
    expect(await search("zzzz")).toMatchObject({ total: 0, results: [] });
    expect(await search("!?")).toMatchObject({ total: 0, results: [] });
  });

  it("sees what changed, but not more often than it may look", async () => {
    await put("a.md", "# A\n\nabout apples\n");
    await put("gone.md", "# G\n\nabout grapes\n");
    const { search } = library({ refreshMs: 1000 });
    expect((await search("apples")).total).toBe(1);
    await put("a.md", "# A\n\nabout bananas\n");
    await put("new.md", "# N\n\nabout cherries\n");
    await unlink(join(root, "gone.md"));
    expect((await search("bananas")).total).toBe(0);
    clock += 1000;
    expect((await search("bananas")).total).toBe(1);
    expect((await search("cherries")).total).toBe(1);
    expect((await search("apples")).total).toBe(0);
    expect(await search("grapes")).toMatchObject({ total: 0, indexed_files: 2 });
  });

  it("stays within its bounds and says what it left out", async () => {
    await put("large.md", `# Large\n\n${"walrus ".repeat(1000)}`);
    await put("b.md", "a walrus");
    await put("c.md", "a walrus");
    const { search } = library({ maxFileBytes: 2000, maxFiles: 1 });
    expect(await search("walrus")).toMatchObject({ total: 1, indexed_files: 1, skipped_files: 2 });
  });

  it("does not look at links, hidden folders, other files and what is not text", async () => {
    const outside = await mkdtemp(join(tmpdir(), "toolgate-outside-"));
    await writeFile(join(outside, "secret.md"), "a walrus");
    await symlink(join(outside, "secret.md"), join(root, "link.md"));
    await symlink(outside, join(root, "folder"));
    await put(".git/x.md", "a walrus");
    await put("node_modules/x.md", "a walrus");
    await put("x.json", "a walrus");
    await put("binary.md", Buffer.concat([Buffer.from("a walrus"), Buffer.of(0, 255)]));
    expect(await library().search("walrus")).toMatchObject({ total: 0, indexed_files: 1 });
    await rm(outside, { recursive: true });
  });

  it("builds its index once for all that ask at the same time", async () => {
    await put("a.md", GUIDE);
    const { search } = library();
    const all = await Promise.all(Array.from({ length: 10 }, () => search("retries")));
    for (const { total } of all) expect(total).toBe(all[0]?.total);
    expect(all[0]?.total).toBeGreaterThan(0);
  });

  it("says in words that its folder cannot be read", async () => {
    const { backend, tool } = library({ root: join(root, "missing") });
    const error = await errorOf(backend, tool, { query: "x" });
    expect(error.details.backendAnswer?.status).toBe("NO_FOLDER");
    expect(error.message).not.toContain(root);
  });

  it("checks its arguments where a tool file gave it no schema", async () => {
    const { backend, tool } = library();
    expect((await errorOf(backend, tool, { query: ["x"] })).code).toBe("INVALID_ARGUMENT");
    expect((await errorOf(backend, tool, { query: "x", max_results: 51 })).code).toBe("INVALID_ARGUMENT");
  });

  it("serves the article's web_search as the handler `search`", async () => {
    await put("zh.md", CHINESE);
    const backend = createBuiltinBackend(handlersOf([createDocsTools({ root, now: () => clock })]));
    const webSearch = aTool({
      name: "web_search",
      backend: { kind: "builtin", name: "search", settings: { handler: "search" } },
    });
    expect(backend.inspect(webSearch)).toEqual([]);
    const reply = await backend.invoke(anInvocation(webSearch, { query: "工具网关", max_results: 5 }));
    const [first] = (reply.kind === "value" ? (reply.value as JsonObject).results : []) as JsonObject[];
    expect(first).toMatchObject({ title: expect.any(String), url: expect.any(String) });
  });
});
