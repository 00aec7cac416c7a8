import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommandLine } from "../command-line.ts";
import { recordedTerminal } from "../terminal.fixture.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-validate-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function validate(...args: string[]) {
  const terminal = recordedTerminal();
  const exitCode = await runCommandLine(["validate", ...args], terminal);
  const label = `${relative(".", folder)}/`;
  return { exitCode, out: terminal.stdout(), err: terminal.stderr().replaceAll(label, "") };
}

const GOOD =
  "name: good\ntype: http\nendpoint: http://localhost:8080/\nheaders:\n  authorization: Bearer $" + "{NOT_SET_HERE}\n";

describe("validate --file", () => {
  it("passes a good file, also where its secrets are not at hand", async () => {
    expect(await validate("--file", write("good.yaml", GOOD))).toEqual({
      exitCode: 0,
      out: "1 tool in 1 file is valid.\n",
      err: "",
    });
  });

  it("answers 2 for a bad file, with the place of each problem (cli-06, second article 5.1)", async () => {
    const file = write("bad.yaml", "name: bad\ntype: http\nendpont: http://localhost/\ntimeout: 5 parsecs\n");
    const { exitCode, out, err } = await validate("--file", file);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain('bad.yaml:3:1: Unknown key "endpont". Did you mean "endpoint"?\n');
    expect(err).toMatch(/^bad\.yaml:4:10: .*parsecs/m);
    expect(err).toMatch(/^3 problems\.\n$/m);
  });

  it("checks by the rules of admission too", async () => {
    const file = write("path.yaml", `${GOOD}response:\n  mapping: { a: "$.[" }\n`);
    const { exitCode, err } = await validate("--file", file);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^path\.yaml:1:1: "good": response mapping of "a": .*JSONPath/);
  });

  it("knows the tools that may be built in", async () => {
    const list =
      "tools:\n  - { name: web_search, type: search, provider: builtin }\n  - { name: x, provider: builtin }\n";
    const { err } = await validate("--file", write("tools.yaml", list));
    expect(err).toMatch(/^tools\.yaml:3:\d+: "x": .*Unknown builtin handler/);
    expect(err).toMatch(/^1 problem\.\n$/m);
  });

  it("finds names that two files have", async () => {
    const { exitCode, err } = await validate("-f", write("a.yaml", GOOD), "-f", write("b.yaml", GOOD));
    expect(exitCode).toBe(2);
    expect(err).toBe('b.yaml:1:1: The name "good" is already that of the tool at a.yaml:1.\n1 problem.\n');
  });

  it("checks a configuration as what it is", async () => {
    const file = write("gateway.yaml", "listen:\n  grcp: 127.0.0.1:1\n");
    const { exitCode, err } = await validate("--file", file);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^gateway\.yaml:2:3: Unknown key "grcp"\. Did you mean "grpc"\?$/m);
  });

  it("says where a file cannot be read", async () => {
    expect(await validate("--file", join(folder, "none.yaml"))).toMatchObject({ exitCode: 2, out: "" });
    const bytes = join(folder, "latin1.yaml");
    writeFileSync(bytes, Buffer.from("name: caf\xe9\n", "latin1"));
    expect((await validate("--file", bytes)).err).toMatch(/^latin1\.yaml:1:\d+: .*UTF-8/);
  });
});

describe("validate --dir and --config", () => {
  it("checks a folder with its subfolders", async () => {
    write("tools/web/a.yaml", GOOD);
    write("tools/b.yaml", GOOD.replace("good", "other"));
    const dir = join(folder, "tools");
    expect(await validate("--dir", dir)).toMatchObject({ exitCode: 0, out: "2 tools in 2 files are valid.\n" });
    write("tools/web/c.yaml", GOOD);
    expect((await validate("--dir", dir)).err).toMatch(/^tools\/web\/c\.yaml:1:1: The name "good" is taken/);
    expect((await validate("--dir", join(folder, "nowhere"))).exitCode).toBe(2);
  });

  it("checks a configuration and the folder that it names", async () => {
    const config = write("gateway.yaml", "tools_dir: tools\nbuiltin:\n  files: .\n");
    write("tools/a.yaml", GOOD);
    expect(await validate("--config", config)).toMatchObject({ exitCode: 0, err: "" });
    write("tools/b.yaml", GOOD.replace("good", "read_file"));
    write("tools/c.yaml", "name: c\nprovider: builtin\nhandler: search\n");
    const { exitCode, err } = await validate("--config", config);
    expect(exitCode).toBe(2);
    expect(err).toContain('tools/b.yaml:1:1: "read_file": A tool of the gateway itself has this name.');
  });

  it("refuses a configuration that must not start", async () => {
    const config = write("gateway.yaml", "listen:\n  http: 0.0.0.0:9000\n");
    const { exitCode, err } = await validate("--config", config);
    expect(exitCode).toBe(2);
    expect(err).toContain("no API key is configured");
    expect((await validate("--config", join(folder, "none.yaml"))).exitCode).toBe(2);
  });
});
