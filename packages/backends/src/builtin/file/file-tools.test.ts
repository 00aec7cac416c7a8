import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, Tool } from "@toolgate/core";
import { anInvocation } from "@toolgate/testkit/backend-suite";
import { aTool } from "@toolgate/testkit/builders";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf } from "../../../test/calling.ts";
import { createBuiltinBackend, createFileTools, handlersOf } from "../index.ts";

let outer: string;
let root: string;
let toolset: ReturnType<typeof createFileTools>;

beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), "toolgate-file-"));
  root = join(outer, "root");
  await mkdir(root);
  await writeFile(join(outer, "secret.txt"), "hunter2");
  toolset = createFileTools({ root, maxBytes: 64 * 1024 });
});
afterEach(() => rm(outer, { recursive: true }));

const backend = () => createBuiltinBackend(handlersOf([toolset]));

function tool(name: string): Tool {
  const found = toolset.tools.find(({ definition }) => definition.name === name);
  return aTool({ ...found?.definition });
}

async function run(name: string, args: JsonObject): Promise<JsonObject> {
  const reply = await backend().invoke(anInvocation(tool(name), args));
  return (reply.kind === "value" ? reply.value : undefined) as JsonObject;
}

const fail = (name: string, args: JsonObject) => errorOf(backend(), tool(name), args);
const onDisk = (path: string) => readFile(join(root, path), "utf8");

const CALLS: [string, JsonObject][] = [
  ["read_file", {}],
  ["write_file", { content: "x" }],
  ["patch", { old_text: "hunter2", new_text: "x" }],
];

describe("paths", () => {
  it.each([
    "../secret.txt",
    "a/../../secret.txt",
    "..",
    "a\\..\\..\\secret.txt",
    "/etc/passwd",
    "C:\\x",
    "nul\0byte",
    "",
    ".",
    "./",
  ])("%j is refused by every tool", async (path) => {
    for (const [name, args] of CALLS) {
      const error = await fail(name, { ...args, path });
      expect(error.code).toBe("TOOL_ERROR");
      expect(error.message).not.toContain(outer);
    }
    expect(await readFile(join(outer, "secret.txt"), "utf8")).toBe("hunter2");
  });

  it("through links that lead out are refused by every tool", async () => {
    await symlink(join(outer, "secret.txt"), join(root, "link.txt"));
    await symlink(outer, join(root, "out"));
    await symlink(join(outer, "new.txt"), join(root, "dangling.txt"));
    await symlink(join(outer, "newdir"), join(root, "danglingdir"));
    for (const path of [
      "link.txt",
      "out/secret.txt",
      "out/new.txt",
      "out/deep/new.txt",
      "dangling.txt",
      "danglingdir/x.txt",
    ]) {
      for (const [name, args] of CALLS) {
        const error = await fail(name, { ...args, path });
        expect(error.code, `${name} ${path}`).toBe("TOOL_ERROR");
        expect(error.message).toContain(JSON.stringify(path));
        expect(error.message).not.toContain(outer);
      }
    }
    expect(await readdir(outer)).toEqual(["root", "secret.txt"]);
    expect(await readFile(join(outer, "secret.txt"), "utf8")).toBe("hunter2");
  });

  it("through links that stay inside are followed, and the link stays", async () => {
    await writeFile(join(root, "real.txt"), "old");
    await symlink("real.txt", join(root, "alias.txt"));
    await run("write_file", { path: "alias.txt", content: "new" });
    expect(await onDisk("real.txt")).toBe("new");
    expect(await run("read_file", { path: "./alias.txt" })).toMatchObject({ content: "new", path: "./alias.txt" });
  });

  it("to what is no regular file are refused without waiting", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    await mkdir(join(root, "folder"));
    await symlink("/dev/zero", join(root, "device"));
    for (const path of ["pipe", "folder", "device", "pipe/x"]) {
      for (const [name, args] of CALLS) expect((await fail(name, { ...args, path })).code).toBe("TOOL_ERROR");
    }
  });

  it("never lead out, whatever they are", async () => {
    const part = fc.constantFrom("..", ".", "", "a", "root", "secret.txt", "...", "..a", "\\", "~", "%2e%2e");
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        await backend()
          .invoke(anInvocation(tool("write_file"), { path: parts.join("/"), content: "x" }))
          .catch(() => {});
        expect(await readdir(outer)).toEqual(["root", "secret.txt"]);
        expect(await readFile(join(outer, "secret.txt"), "utf8")).toBe("hunter2");
      }),
      { numRuns: 60 },
    );
  });

  it("say that an operator has to make the root when there is none", async () => {
    toolset = createFileTools({ root: join(outer, "missing") });
    const error = await fail("read_file", { path: "a" });
    expect(error.details.backendAnswer?.status).toBe("NO_FOLDER");
    expect(error.message).not.toContain(outer);
  });
});

describe("read_file", () => {
  it("reads text whole, with its line breaks", async () => {
    await writeFile(join(root, "a.txt"), "one\r\ntwo\n读🎉");
    expect(await run("read_file", { path: "a.txt" })).toEqual({
      path: "a.txt",
      content: "one\r\ntwo\n读🎉",
      start_line: 1,
      end_line: 3,
      total_lines: 3,
      truncated: false,
    });
  });

  it("reads a part", async () => {
    await writeFile(join(root, "a.txt"), "1\n2\n3\n4\n5\n");
    expect(await run("read_file", { path: "a.txt", offset: 2, limit: 2 })).toMatchObject({
      content: "2\n3\n",
      start_line: 2,
      end_line: 3,
      total_lines: 5,
      truncated: true,
    });
    expect(await run("read_file", { path: "a.txt", offset: 4 })).toMatchObject({ content: "4\n5\n", truncated: false });
    expect(await run("read_file", { path: "a.txt", offset: 9 })).toMatchObject({
      content: "",
      end_line: 8,
      total_lines: 5,
    });
  });

  it("reads a file in parts that make the whole", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("a", "\n", "\r\n", "é"), { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        async (letters, limit) => {
          const text = letters.join("");
          await writeFile(join(root, "p.txt"), text);
          let read = "";
          for (let offset = 1, more = true; more; ) {
            const part = await run("read_file", { path: "p.txt", offset, limit });
            read += part.content;
            offset = (part.end_line as number) + 1;
            more = part.truncated as boolean;
          }
          expect(read).toBe(text);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("refuses what is binary, too large or not there, in words", async () => {
    await writeFile(join(root, "b.bin"), Buffer.from([1, 0, 2]));
    await writeFile(join(root, "latin.txt"), Buffer.from([0x61, 0xe9]));
    await writeFile(join(root, "large.txt"), "x".repeat(64 * 1024 + 1));
    expect((await fail("read_file", { path: "b.bin" })).message).toContain("binary");
    expect((await fail("read_file", { path: "latin.txt" })).message).toContain("binary");
    expect((await fail("read_file", { path: "large.txt" })).message).toContain("65536");
    expect((await fail("read_file", { path: "none.txt" })).message).toContain('"none.txt"');
  });

  it("checks its arguments where a tool file gave it no schema", async () => {
    expect((await fail("read_file", { path: 7 })).code).toBe("INVALID_ARGUMENT");
    expect((await fail("read_file", { path: "a", limit: -1 })).code).toBe("INVALID_ARGUMENT");
    expect((await fail("read_file", {})).details.violations).toEqual([
      { path: "/path", expected: "text", got: "nothing" },
    ]);
  });
});

describe("write_file", () => {
  it("makes a file and the folders on the way", async () => {
    expect(await run("write_file", { path: "a/b/c.txt", content: "读" })).toEqual({
      path: "a/b/c.txt",
      bytes: 3,
      created: true,
    });
    expect(await onDisk("a/b/c.txt")).toBe("读");
  });

  it("replaces a file, keeps its mode, and leaves nothing beside it", async () => {
    await writeFile(join(root, "run.sh"), "old");
    await chmod(join(root, "run.sh"), 0o750);
    expect(await run("write_file", { path: "run.sh", content: "new" })).toMatchObject({ created: false });
    expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o750);
    expect(await readdir(root)).toEqual(["run.sh"]);
  });

  it("refuses what is too large", async () => {
    const error = await fail("write_file", { path: "a.txt", content: "读".repeat(22_000) });
    expect(error.message).toContain("66000 bytes");
    expect(await readdir(root)).toEqual([]);
  });

  it("lets readers see the old text or the new one, whole", async () => {
    const texts = ["a".repeat(30_000), "b".repeat(30_000)];
    await writeFile(join(root, "f.txt"), texts[0] as string);
    const writes = Array.from({ length: 20 }, (_, n) =>
      run("write_file", { path: "f.txt", content: texts[n % 2] as string }),
    );
    const reads = Array.from({ length: 20 }, () => onDisk("f.txt"));
    for (const text of await Promise.all(reads)) expect(texts).toContain(text);
    await Promise.all(writes);
  });
});

describe("patch", () => {
  beforeEach(() => writeFile(join(root, "a.txt"), "one\ntwo\nthree\ntwo\n"));

  it("replaces what occurs once", async () => {
    const args = { path: "a.txt", old_text: "three\n", new_text: "3 $& $1\n" };
    expect(await run("patch", args)).toEqual({ path: "a.txt", replacements: 1, line: 3 });
    expect(await onDisk("a.txt")).toBe("one\ntwo\n3 $& $1\ntwo\n");
  });

  it("refuses what occurs more than once, unless all is meant", async () => {
    const args = { path: "a.txt", old_text: "two", new_text: "2" };
    expect((await fail("patch", args)).message).toContain("2 times");
    expect(await run("patch", { ...args, replace_all: true })).toMatchObject({ replacements: 2, line: 2 });
    expect(await onDisk("a.txt")).toBe("one\n2\nthree\n2\n");
  });

  it("refuses what does not occur, with a hint where there is one", async () => {
    expect((await fail("patch", { path: "a.txt", old_text: "four", new_text: "" })).message).toContain(
      "does not occur",
    );
    expect((await fail("patch", { path: "a.txt", old_text: "one two", new_text: "" })).message).toContain("spaces");
    await writeFile(join(root, "w.txt"), "one\r\ntwo\r\n");
    expect((await fail("patch", { path: "w.txt", old_text: "one\ntwo", new_text: "" })).message).toContain("Windows");
    expect((await fail("patch", { path: "a.txt", old_text: "", new_text: "x" })).code).toBe("TOOL_ERROR");
    expect((await fail("patch", { path: "a.txt", old_text: "one", new_text: "one" })).code).toBe("TOOL_ERROR");
    expect(await onDisk("a.txt")).toBe("one\ntwo\nthree\ntwo\n");
  });

  it("loses no change when many come at the same time", async () => {
    const words = Array.from({ length: 20 }, (_, n) => `<${n}>`);
    await writeFile(join(root, "m.txt"), words.join(" "));
    await Promise.all(words.map((word, n) => run("patch", { path: "m.txt", old_text: word, new_text: `(${n})` })));
    expect(await onDisk("m.txt")).toBe(words.map((_, n) => `(${n})`).join(" "));
  });
});
