import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommandLine } from "./command-line.ts";
import { type GatewayFixture, startFixture } from "./gateway.fixture.ts";
import { type RecordedTerminalOptions, recordedTerminal } from "./terminal.fixture.ts";

let gateway: GatewayFixture;
beforeAll(async () => {
  gateway = await startFixture();
});
afterAll(() => gateway.stop());

async function run(args: readonly string[], options: RecordedTerminalOptions = {}) {
  const env = { TOOLGATE_GATEWAY: gateway.address, ...options.env };
  const terminal = recordedTerminal({ ...options, env });
  const exitCode = await runCommandLine(args, terminal);
  return { exitCode, out: terminal.stdout(), err: terminal.stderr() };
}

describe("call", () => {
  it("reads --param limit=5 and --param=limit=5 alike, as a number (cli-02, openclaw/mcporter#119)", async () => {
    for (const args of [["--param", "limit=5"], ["--param=limit=5"], ["-p", "limit=5"]]) {
      const { exitCode, out } = await run(["call", "echo", ...args]);
      expect({ exitCode, data: JSON.parse(out) }).toEqual({ exitCode: 0, data: { limit: 5 } });
    }
  });

  it("keeps what follows the first = and refuses unknown keys (cli-03, openclaw/mcporter#100, #150)", async () => {
    const kept = await run(["call", "echo", "--param", "expr=a:=b=c"]);
    expect(JSON.parse(kept.out)).toEqual({ expr: "a:=b=c" });
    const refused = await run(["call", "echo", "--param", "limits:=5.20"]);
    expect(refused).toMatchObject({ exitCode: 2, out: "" });
    expect(refused.err).toBe('The tool takes no parameter "limits:". Did you mean "limit"?\n');
  });

  it("sends empty text, refuses it for an integer, sends nothing for what is left out (cli-05, wong2/mcp-cli#1)", async () => {
    expect(JSON.parse((await run(["call", "echo", "--param", "text="])).out)).toEqual({ text: "" });
    expect(await run(["call", "echo", "--param", "limit="])).toMatchObject({ exitCode: 2, out: "" });
  });

  it("keeps text that looks like a number, and every digit of a number", async () => {
    const { out } = await run([
      "call",
      "echo",
      "-p",
      "text=000123",
      "-p",
      "limit=1917043659912705296",
      "-p",
      "tags=a",
      "-p",
      "tags=7",
    ]);
    expect(out).toContain('"text": "000123"');
    expect(out).toContain('"limit": 1917043659912705296');
    expect(JSON.parse(out).tags).toEqual(["a", "7"]);
  });

  it("takes arguments as JSON from the command line, from stdin and from a file", async () => {
    const file = join(gateway.toolsDir, "args.txt");
    writeFileSync(file, '{"text":"file"}');
    expect(JSON.parse((await run(["call", "echo", "--params-json", '{"text":"line"}'])).out)).toEqual({ text: "line" });
    expect(JSON.parse((await run(["call", "echo", "--params-json", "-"], { input: '{"text":"in"}' })).out)).toEqual({
      text: "in",
    });
    expect(JSON.parse((await run(["call", "echo", "--params-json", `@${file}`])).out)).toEqual({ text: "file" });
    const both = await run(["call", "echo", "--params-json", '{"text":"a","limit":1}', "-p", "limit=2"]);
    expect(JSON.parse(both.out)).toEqual({ text: "a", limit: 2 });
  });

  it.each([
    ["{", "The arguments are not valid JSON"],
    ["[1]", "must be one JSON object"],
    ["@/no/such/file", "does not exist"],
  ])("refuses --params-json %s", async (text, message) => {
    const { exitCode, out, err } = await run(["call", "echo", "--params-json", text]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(message);
  });

  it("writes the whole answer as one line of JSON where --json is given, with arguments after it or without", async () => {
    for (const args of [
      ["--json", "-p", "text=x"],
      ["--json", '{"text":"x"}'],
    ]) {
      const { exitCode, out, err } = await run(["call", "echo", ...args]);
      expect({ exitCode, err, lines: out.split("\n").length }).toEqual({ exitCode: 0, err: "", lines: 2 });
      expect(JSON.parse(out)).toMatchObject({
        status: "success",
        tool: "echo",
        data: { text: "x" },
        meta: { attempts: 1 },
      });
    }
  });

  it("answers 1 for an unknown tool, near names on stderr and nothing on stdout (cli-06, second article 5.1)", async () => {
    const { exitCode, out, err } = await run(["call", "ecko", "--param", "text=x"]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toContain("TOOL_NOT_FOUND");
    expect(err).toContain('"echo"');
    const json = await run(["call", "ecko", "--json"]);
    expect(json).toMatchObject({ exitCode: 1, err: "" });
    expect(JSON.parse(json.out)).toMatchObject({
      status: "error",
      error: { code: "TOOL_NOT_FOUND", near_names: ["echo"] },
    });
  });

  it("shows each violation, and what a backend answered", async () => {
    const misfit = await run(["call", "echo", "--params-json", '{"limit":"x","tags":1}']);
    expect(misfit.exitCode).toBe(1);
    expect(misfit.err).toMatch(/^ {2}\/limit: expected /m);
    expect(misfit.err).toMatch(/^ {2}\/tags: expected /m);
    const broken = await run(["call", "broken"]);
    expect(broken.exitCode).toBe(1);
    expect(broken.err).toContain("TOOL_ERROR");
    expect(broken.err).toContain("Invalid zone");
  });

  it("keeps only the fields that are asked for", async () => {
    const { out } = await run(["call", "echo", "-p", "text=x", "-p", "limit=1", "--field", "limit"]);
    expect(JSON.parse(out)).toEqual({ limit: 1 });
  });

  it("is cancelled by Ctrl-C, in the gateway too", async () => {
    const terminal = recordedTerminal({ env: { TOOLGATE_GATEWAY: gateway.address } });
    void gateway.slowCall.then(() => terminal.interrupt());
    expect(await runCommandLine(["call", "slow"], terminal)).toBe(130);
    expect(terminal.stdout()).toBe("");
    expect(terminal.stderr()).toBe("Cancelled.\n");
  });

  it("refuses a timeout that is none", async () => {
    const { exitCode, err } = await run(["call", "echo", "--timeout", "5 parsecs"]);
    expect(exitCode).toBe(2);
    expect(err).toContain('--timeout: Expected a duration such as "5s"');
  });
});

describe("list-tools", () => {
  it("shows what can be called, and says what is hidden", async () => {
    const { exitCode, out, err } = await run(["list-tools"]);
    expect(exitCode).toBe(0);
    expect(out.split("\n").map((line) => line.split(/\s+/)[0])).toEqual(["NAME", "broken", "echo", "slow", ""]);
    expect(out).toContain("The echo of the tests.");
    expect(err).toBe("There is 1 tool more, but it cannot be called now: toolgate list-tools --all\n");
  });

  it("shows everything where that is asked for, and why a tool cannot be called", async () => {
    const { out, err } = await run(["list-tools", "--all", "--verbose"]);
    expect(out).toMatch(/^off {2}unavailable$/m);
    expect(out).toMatch(/^ {2}reason +switched off/m);
    expect(out).toMatch(/^ {2}source +file web\/echo\.yaml$/m);
    expect(out).toMatch(/^ {2}owner +a team$/m);
    expect(err).toBe("");
  });

  it("filters", async () => {
    expect((await run(["list-tools", "--toolset", "web"])).out).toMatch(/^NAME.*\necho .*\n$/);
    expect((await run(["list-tools", "--query", "slow"])).out).toMatch(/^NAME.*\nslow .*\n$/);
    expect(await run(["list-tools", "--query", "nothing-like-that"])).toMatchObject({
      out: "",
      err: "No tools that fit.\n",
    });
  });

  it("writes JSON in the shape of GET /v1/tools", async () => {
    const { exitCode, out, err } = await run(["list-tools", "--json"]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const overHttp = await (await fetch(`http://${gateway.httpAddress}/v1/tools`)).json();
    expect(JSON.parse(out)).toEqual(overHttp);
  });

  it("answers 3 where there is no gateway, with nothing on stdout (cli-06, second article 5.1)", async () => {
    for (const args of [["list-tools"], ["list-tools", "--json"], ["call", "echo", "--json"], ["reload"]]) {
      const { exitCode, out, err } = await run(["--gateway", "127.0.0.1:1", ...args]);
      expect({ exitCode, out }).toEqual({ exitCode: 3, out: "" });
      expect(err).toContain("Cannot reach a gateway at 127.0.0.1:1: connection refused. Is it running?");
    }
  });

  it("answers 3 where something else listens", async () => {
    const { exitCode, err } = await run(["list-tools", "--gateway", gateway.httpAddress]);
    expect(exitCode).toBe(3);
    expect(err).toContain("does not speak gRPC");
  });
});

describe("reload", () => {
  it("says what changed, and answers 1 where a file cannot be read", async () => {
    expect(await run(["reload"])).toMatchObject({ exitCode: 0, out: "Nothing changed.\n", err: "" });
    writeFileSync(join(gateway.toolsDir, "bad.yaml"), "name: bad\ntype: http\nendpont: x\n");
    const { exitCode, out, err } = await run(["reload"]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "Nothing changed.\n" });
    expect(err).toMatch(/^bad\.yaml:3:1: Unknown key "endpont"/m);
    const json = await run(["reload", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({
      added: [],
      problems: expect.arrayContaining([expect.objectContaining({ line: 3 })]),
    });
  });
});

describe("usage", () => {
  it.each([
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["call"], "missing required argument 'name'"],
    [["call", "echo", "--nope"], "unknown option '--nope'"],
    [["call", "echo", "--param", "text"], "--param needs NAME=VALUE"],
    [["--gateway", "ftp://x", "list-tools"], 'The scheme "ftp" is not known'],
    [["--api-key-file", "/no/such/file", "list-tools"], "The file of the API key /no/such/file does not exist."],
    [["validate"], "Nothing to check."],
    [[], "Usage: toolgate"],
  ])("answers 2 for %j", async (args, message) => {
    const { exitCode, out, err } = await run(args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(message);
  });

  it("answers 0 for help and version, on stdout", async () => {
    const help = await run(["call", "--help"]);
    expect(help).toMatchObject({ exitCode: 0, err: "" });
    expect(help.out).toContain("Values of --param are read by the tool's schema");
    expect((await run(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("a gateway with keys", () => {
  const KEY = "tg_test_0123456789";
  let keyed: GatewayFixture;
  beforeAll(async () => {
    const keyHashes = [createHash("sha256").update(KEY).digest("hex")];
    keyed = await startFixture({ clients: [{ id: "agent", admin: false, keyHashes }] });
  });
  afterAll(() => keyed.stop());

  it("takes the key from the environment or from a file, and never shows it", async () => {
    const file = join(keyed.toolsDir, "key.txt");
    writeFileSync(file, `${KEY}\n`);
    const env = { TOOLGATE_GATEWAY: keyed.address };
    expect(await run(["list-tools"], { env })).toMatchObject({ exitCode: 1, out: "" });
    expect((await run(["list-tools"], { env: { ...env, TOOLGATE_API_KEY: KEY } })).exitCode).toBe(0);
    expect((await run(["list-tools", "--api-key-file", file], { env })).exitCode).toBe(0);
    const refused = await run(["reload", "--api-key-file", file], { env });
    expect(refused).toMatchObject({ exitCode: 1, out: "" });
    expect(refused.err).toMatch(/^PERMISSION_DENIED (?!.*tg_test)/);
  });
});
