import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommandLine } from "../command-line.ts";
import { recordedTerminal } from "../terminal.fixture.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-init-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const terminal = recordedTerminal();
  const exitCode = await runCommandLine(args, terminal);
  return { exitCode, out: terminal.stdout(), err: terminal.stderr() };
}

describe("init", () => {
  it("writes files that are valid, also with every example switched on", async () => {
    const target = join(folder, "new");
    const { exitCode, out, err } = await run("init", target);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toContain(`Wrote ${join(target, "gateway.yaml")}\n`);
    expect(out).toContain("toolgate serve");
    const config = join(target, "gateway.yaml");
    expect(await run("validate", "--config", config)).toMatchObject({ exitCode: 0, err: "" });
    const examples = readFileSync(config, "utf8").replaceAll(/^( *)#(?! |$)|^( *)#(?= {2})/gm, "$1$2");
    expect(examples).toMatch(/^clients:$/m);
    writeFileSync(config, examples);
    expect(await run("validate", "--config", config)).toMatchObject({ exitCode: 0, err: "" });
  });

  it("overwrites nothing, and writes nothing where one file exists", async () => {
    writeFileSync(join(folder, "gateway.yaml"), "mine");
    const { exitCode, out, err } = await run("init", folder);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(`${join(folder, "gateway.yaml")} exists already`);
    expect(readFileSync(join(folder, "gateway.yaml"), "utf8")).toBe("mine");
    expect(existsSync(join(folder, "tools"))).toBe(false);
  });

  it("says where it cannot write", async () => {
    writeFileSync(join(folder, "file"), "");
    expect(await run("init", join(folder, "file"))).toMatchObject({ exitCode: 2, out: "" });
  });
});
