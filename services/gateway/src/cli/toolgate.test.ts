import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayFixture, startFixture } from "./gateway.fixture.ts";

const ENTRY = fileURLToPath(new URL("./toolgate.mjs", import.meta.url));

let home: string;
let gateway: GatewayFixture;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "toolgate-home-"));
  gateway = await startFixture();
});
afterAll(async () => {
  await gateway.stop();
  rmSync(home, { recursive: true });
});

function start(args: readonly string[]): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: home, TOOLGATE_GATEWAY: gateway.address };
  return spawn(process.execPath, [ENTRY, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ChildProcess) {
  const texts = { out: "", err: "" };
  child.stdout?.on("data", (text) => {
    texts.out += text;
  });
  child.stderr?.on("data", (text) => {
    texts.err += text;
  });
  const exitCode = await new Promise((resolve) => child.once("close", resolve));
  return { exitCode, ...texts };
}

describe("the process", () => {
  it("ends by itself, with the exit code of the command", async () => {
    const called = await ended(start(["call", "echo", "--param", "text=天气"]));
    expect(called).toMatchObject({ exitCode: 0, out: '{\n  "text": "天气"\n}\n' });
    expect(await ended(start(["call", "nothing"]))).toMatchObject({ exitCode: 1, out: "" });
    expect(await ended(start(["call"]))).toMatchObject({ exitCode: 2, out: "" });
    expect(await ended(start(["--gateway", "127.0.0.1:1", "list-tools"]))).toMatchObject({ exitCode: 3, out: "" });
  });

  it("cancels the call and answers 130 at Ctrl-C", async () => {
    const child = start(["call", "slow"]);
    void gateway.slowCall.then(() => child.kill("SIGINT"));
    expect(await ended(child)).toEqual({ exitCode: 130, out: "", err: "Cancelled.\n" });
  });

  it("is quiet where the reader of its output goes away", async () => {
    const child = start(["list-tools", "--json"]);
    child.stdout?.destroy();
    expect(await ended(child)).toMatchObject({ exitCode: 0, err: "" });
  });

  it("keeps its compiled form in the user's own folder", async () => {
    await ended(start(["--version"]));
    expect(readdirSync(join(home, ".cache", "toolgate"))).not.toHaveLength(0);
  });
});
