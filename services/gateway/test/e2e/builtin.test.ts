import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { callHttp, type TestGateway, testGateway } from "./harness/gateway.ts";
import { verifies } from "./verifies.ts";

const YAML = "builtin: {files: files, docs: docs}\n";

async function filesGateway(): Promise<TestGateway & { readonly root: string }> {
  const gateway = await testGateway({
    yaml: YAML,
    files: { "files/notes/a.txt": "one\ntwo\nthree\n", "outside.txt": "not yours", "docs/.keep": "" },
  });
  return { ...gateway, root: join(gateway.folder, "files") };
}

verifies("builtin.files", "read_file gives content with its lines", async () => {
  const { client } = await filesGateway();
  expect(await client.call("read_file", { path: "notes/a.txt" })).toMatchObject({
    status: "success",
    data: {
      path: "notes/a.txt",
      content: "one\ntwo\nthree\n",
      start_line: 1,
      end_line: 3,
      total_lines: 3,
      truncated: false,
    },
    meta: { toolset: "file", backend: "builtin:file" },
  });
  expect(await client.call("read_file", { path: "notes/a.txt", offset: 2, limit: 1 })).toMatchObject({
    data: { content: "two\n", start_line: 2, end_line: 2, truncated: true },
  });
});

verifies("builtin.files", "write_file and patch change what is inside", async () => {
  const { client, root } = await filesGateway();
  expect(await client.call("write_file", { path: "new/deep/b.md", content: "读🎉\n" })).toMatchObject({
    data: { path: "new/deep/b.md", bytes: Buffer.byteLength("读🎉\n"), created: true },
  });
  expect(readFileSync(join(root, "new/deep/b.md"), "utf8")).toBe("读🎉\n");
  const patch = { path: "notes/a.txt", old_text: "two", new_text: "2" };
  expect(await client.call("patch", patch)).toMatchObject({ data: { replacements: 1, line: 2 } });
  expect(readFileSync(join(root, "notes/a.txt"), "utf8")).toBe("one\n2\nthree\n");
  expect(await client.call("patch", patch)).toMatchObject({
    error: { code: "TOOL_ERROR", backendAnswer: { status: "NO_MATCH" } },
  });
});

verifies("builtin.files", "no way leads outside", async () => {
  const { client, root, folder } = await filesGateway();
  symlinkSync(join(folder, "outside.txt"), join(root, "link.txt"));
  symlinkSync(folder, join(root, "up"));
  const ways = ["../outside.txt", join(folder, "outside.txt"), "link.txt", "up/outside.txt", "notes/../../outside.txt"];
  for (const path of ways) {
    for (const [tool, args] of [
      ["read_file", { path }],
      ["write_file", { path, content: "mine" }],
      ["patch", { path, old_text: "not", new_text: "all" }],
    ] as const) {
      const result = await client.call(tool, args);
      expect(result, `${tool} ${path}`).toMatchObject({
        error: { code: "TOOL_ERROR", backendAnswer: { status: "NOT_ALLOWED" } },
      });
    }
  }
  const { error } = (await callHttp({ ...(await filesGateway()) }, { tool: "read_file", params: { path: "a\0b" } }))
    .envelope;
  expect(error.backend_answer.status).toBe("INVALID_PATH");
  expect(readFileSync(join(folder, "outside.txt"), "utf8")).toBe("not yours");
});

verifies("builtin.files", "errors name the path as it was given, and no path of this machine", async () => {
  const gateway = await filesGateway();
  mkdirSync(join(gateway.root, "empty"));
  const missing = await gateway.client.call("read_file", { path: "nothing.txt" });
  expect(missing).toMatchObject({ error: { code: "TOOL_ERROR", backendAnswer: { status: "NOT_FOUND" } } });
  const folder = await callHttp(gateway, { tool: "read_file", params: { path: "empty" } });
  expect(folder.envelope.error.message).toContain('"empty" cannot be used: it is a folder');
  expect(folder.text).not.toContain(gateway.folder);
  expect(JSON.stringify(missing)).not.toContain(gateway.folder);
});

verifies("builtin.docs", async () => {
  const gateway = await testGateway({
    yaml: YAML,
    files: {
      "files/.keep": "",
      "docs/errors.md": "# Errors\n\n## Retrying\n\nA circuit opens when the backend failed too often.\n",
      "docs/other.md": "# Other\n\nNothing of that kind.\n",
    },
  });
  const found = await gateway.client.call("docs_search", { query: "circuit backend" });
  expect(found).toMatchObject({
    status: "success",
    data: { query: "circuit backend", total: 1, indexed_files: 2, skipped_files: 0 },
    meta: { toolset: "docs", backend: "builtin:docs" },
  });
  expect(found).toMatchObject({
    data: {
      results: [
        {
          title: "Errors",
          path: "errors.md",
          url: "errors.md#L5",
          line: 5,
          heading: expect.stringContaining("Retrying"),
          snippet: expect.stringContaining("A circuit opens when the backend failed too often."),
        },
      ],
    },
  });
  expect(await gateway.client.call("docs_search", { query: "giraffe" })).toMatchObject({ data: { results: [] } });
});
