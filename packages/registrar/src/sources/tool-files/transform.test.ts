import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, ScriptFault } from "@toolgate/core";
import { formatProblem } from "@toolgate/documents";
import { describe, expect, it } from "vitest";
import { FolderFingerprint } from "./fingerprint.ts";
import { tempFolder } from "./temp-folder.fixture.ts";
import { ToolFilesSource } from "./tool-files-source.ts";
import type { ToolKind } from "./tool-kind.ts";

const builtin: ToolKind = { kind: "builtin", shape: {}, toBackend: () => undefined };
const TOOL = "name: t\ntype: builtin\n";

/** A folder of tool files whose scripts are checked by the test. */
function open(fault?: ScriptFault) {
  const dir = tempFolder();
  const checked: Script[] = [];
  const source = new ToolFilesSource({
    dir,
    kinds: [builtin],
    checkScript: async (script) => {
      checked.push(script);
      return fault;
    },
  });
  const write = (name: string, text: string | Uint8Array) => {
    mkdirSync(join(dir, name, ".."), { recursive: true });
    writeFileSync(join(dir, name), text);
  };
  const load = async () => {
    const { toolsets, problems } = await source.load();
    const transforms = toolsets.flatMap(({ tools }) => tools.map(({ definition }) => definition.response.transform));
    return { transforms, problems: problems.map(formatProblem) };
  };
  return { dir, write, load, checked };
}

const inline = (...lines: string[]) =>
  `${TOOL}response:\n  transform:\n${lines.map((line) => `    ${line}\n`).join("")}`;

describe("response.transform", () => {
  it("is a script in the tool file, with the default time or its own", async () => {
    const { write, load, checked } = open();
    write("a.yaml", inline("language: javascript", "source: |", "  export default (input) => input;"));
    const script = { language: "javascript", source: "export default (input) => input;\n" };
    expect(await load()).toEqual({ transforms: [{ ...script, timeoutMs: 1_000 }], problems: [] });
    expect(checked).toMatchObject([script]);
    write("a.yaml", inline("language: javascript", "source: x", "timeout: 250ms"));
    expect((await load()).transforms).toMatchObject([{ source: "x", timeoutMs: 250 }]);
  });

  it("is a file beside the tool file or below, whose ending says the language", async () => {
    const { write, load } = open();
    write("web/a.yaml", inline("file: scripts/a.mjs"));
    write("web/scripts/a.mjs", "export default 1 // ü");
    expect(await load()).toEqual({
      transforms: [{ language: "javascript", source: "export default 1 // ü", timeoutMs: 1_000 }],
      problems: [],
    });
  });

  it("may lie behind links, as in a Kubernetes ConfigMap, but not outside the folder", async () => {
    const { dir, write, load } = open();
    write("..2026/a.yaml", inline("file: a.js"));
    write("..2026/a.js", "x");
    symlinkSync("..2026", join(dir, "..data"));
    for (const name of ["a.yaml", "a.js"]) symlinkSync(`..data/${name}`, join(dir, name));
    expect(await load()).toMatchObject({ transforms: [{ source: "x" }], problems: [] });
    const outside = join(tempFolder(), "secret.js");
    writeFileSync(outside, "secret");
    symlinkSync(outside, join(dir, "b.js"));
    write("b.yaml", inline("file: b.js").replace("name: t", "name: b"));
    expect((await load()).problems).toEqual([
      'b.yaml:5:11: The file "b.js" must be in the folder of the tool file, or below it.',
    ]);
  });

  it.each([
    ["../a.js", 'The file "../a.js" must be in the folder of the tool file, or below it.'],
    ["/etc/hostname", 'The file "/etc/hostname" must be in the folder of the tool file, or below it.'],
    ["none.js", 'The file "none.js" is not there or may not be read.'],
    ["latin.js", 'The file "latin.js" is not text in UTF-8.'],
    ["nul.js", 'The file "nul.js" is no text.'],
    ["long.js", "The script is 65537 bytes long; at most 65536 are read."],
    ["folder.js", 'The file "folder.js" may not be read.'],
  ])("refuses the file %s", async (file, message) => {
    const { dir, write, load } = open();
    write("a.js", "x");
    write("web/latin.js", new Uint8Array([0x2f, 0x2f, 0xfc]));
    write("web/nul.js", "x\0y");
    write("web/long.js", "x".repeat(65_537));
    mkdirSync(join(dir, "web/folder.js"));
    write("web/a.yaml", inline("language: javascript", `file: ${file}`));
    expect(await load()).toEqual({ transforms: [], problems: [`web/a.yaml:6:11: ${message}`] });
  });

  it.each([
    [["language: javascript"], 'a.yaml:5:5: A transform has exactly one of "source" and "file"'],
    [["source: x", "file: a.js"], 'a.yaml:5:5: A transform has exactly one of "source" and "file"'],
    [["source: x"], 'a.yaml:5:5: The key "language" is missing: expected '],
    [["file: a.txt"], "unless the name of the file ends in .js"],
    [["language: ruby", "source: x"], "a.yaml:5:15: "],
    [["language: javascript", "sorce: x"], 'Unknown key "sorce". Did you mean "source"?'],
    [["language: javascript", "source: x", "timeout: 31s"], "a.yaml:7:14: "],
  ])("refuses %j", async (lines, message) => {
    const { write, load } = open();
    write("a.txt", "x");
    write("a.yaml", inline(...lines));
    const { transforms, problems } = await load();
    expect(transforms).toEqual([]);
    expect(problems.join("\n")).toContain(message);
  });

  it("has no place in a tool that the client runs", async () => {
    const { write, load } = open();
    write("a.yaml", inline("language: javascript", "source: x").replace("type: builtin", "execution: client"));
    expect((await load()).problems).toEqual([
      "a.yaml:5:5: A tool that the client runs has no answer here that could be transformed.",
    ]);
  });

  it("says where a script cannot be read: in a block, in the script's own file, or at its key", async () => {
    const fault = { kind: "syntax", message: "no", line: 2, column: 3 } as const;
    const message = "The transform script cannot be read: no (line 2, column 3).";
    const { write, load } = open(fault);
    write(
      "a.yaml",
      `tools:\n- ${inline("language: javascript", "source: |", "  a", "  bcd").replaceAll("\n", "\n  ")}\n`,
    );
    write("b.yaml", inline("file: scripts/b.js").replace("name: t", "name: b"));
    write("scripts/b.js", "a\nbcd");
    write("c.yaml", inline("language: javascript", 'source: "a\\nbcd"').replace("name: t", "name: c"));
    write("d.yaml", inline("language: javascript", "source: >", "  a", "", "  bcd").replace("name: t", "name: d"));
    expect((await load()).problems).toEqual([
      `a.yaml:9:11: ${message}`,
      `c.yaml:6:13: ${message}`,
      `d.yaml:6:13: ${message}`,
      `scripts/b.js:2:3: ${message}`,
    ]);
  });

  it("keeps the last good version of a tool whose script is bad, and is read again when its file changes", async () => {
    const { dir, write, load } = open();
    write("a.yaml", inline("file: a.js"));
    write("a.js", "one");
    const fingerprint = new FolderFingerprint(dir);
    const before = await fingerprint.take(Date.now());
    expect((await load()).transforms).toMatchObject([{ source: "one" }]);
    write("a.js", "two");
    expect((await fingerprint.take(Date.now())).fingerprint).not.toBe(before.fingerprint);
    expect((await load()).transforms).toMatchObject([{ source: "two" }]);
    write("a.js", "x".repeat(70_000));
    expect(await load()).toMatchObject({
      transforms: [{ source: "two" }],
      problems: [expect.stringContaining("bytes")],
    });
  });
});
