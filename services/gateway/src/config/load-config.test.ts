import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_CONFIG, type GatewayConfig } from "./config.ts";
import { loadConfig } from "./load-config.ts";

const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(yaml: string): string {
  const file = join(folder, "gateway.yaml");
  writeFileSync(file, yaml);
  return file;
}

function loaded(
  yaml: string,
  env: Record<string, string> = {},
): { config: GatewayConfig; warnings: readonly string[] } {
  const result = loadConfig(written(yaml), env);
  return result.ok ? result : expect.fail(result.problems.join("\n"));
}

/** The problems, each without the folder of the test. */
function problems(yaml: string, env: Record<string, string> = {}): readonly string[] {
  const result = loadConfig(written(yaml), env);
  return result.ok ? expect.fail("The file was taken.") : result.problems.map((text) => text.replace(`${folder}/`, ""));
}

describe("loadConfig", () => {
  it("holds the defaults where nothing is said", () => {
    expect(loadConfig(undefined, {})).toEqual({ ok: true, config: DEFAULT_CONFIG, warnings: [] });
    expect(loaded("{}\n").config).toEqual(DEFAULT_CONFIG);
  });

  it("reads all that is in force", () => {
    const { config, warnings } = loaded(`
listen: { grpc: "127.0.0.1:7001", http: 7002, admin: "[::1]:7003" }
tools_dir: tools
builtin: { files: data, docs: /srv/docs }
toolsets:
  web: { aliases: [w], check: { env: SEARCH_KEY } }
  bare: {}
clients:
  - { id: ann, key_hashes: ["${hash("1")}", "${hash("2")}"], scopes: [a] }
  - { id: root, key_hashes: ["${hash("3")}"], admin: true }
registration: { allowed_hosts: [tools.local] }
max_message_bytes: 1MiB
drain: 2s
log_level: warn
store: memory
`);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      listen: {
        grpc: { host: "127.0.0.1", port: 7_001 },
        http: { host: "127.0.0.1", port: 7_002 },
        admin: { host: "::1", port: 7_003 },
      },
      toolsDir: join(folder, "tools"),
      builtin: { filesRoot: join(folder, "data"), docsRoot: resolve("/srv/docs") },
      toolsets: {
        web: { aliases: ["w"], check: { kind: "env", settings: { name: "SEARCH_KEY" } } },
        bare: { aliases: [] },
      },
      clients: [
        { id: "ann", keyHashes: ["1".repeat(64), "2".repeat(64)], scopes: ["a"], admin: false },
        { id: "root", keyHashes: ["3".repeat(64)], admin: true },
      ],
      registration: { allowedHosts: ["tools.local"] },
      maxMessageBytes: 1_048_576,
      drainMs: 2_000,
      logLevel: "warn",
    });
    expect(config.clients[1]).not.toHaveProperty("scopes");
  });

  it("reads the limits of every level", () => {
    const { config } = loaded(
      `
rate_limits:
  global: { max_concurrent: 100, max_qps: 500 }
  per_tool:
    web_search: { max_qps: 0.5, queue: { max_length: 0 } }
  per_client: { rate: 60/min, burst: 1, shadow: true }
clients:
  - { id: ann, key_hashes: ["${hash("1")}"], limits: { max_concurrent: 3, queue: { max_wait: 1s } } }
  - { id: bob, key_hashes: ["${hash("2")}"] }
`,
      { TOOLGATE_RATE_LIMITS_GLOBAL_MAX_QPS: "7" },
    );
    expect(config.limits).toEqual({
      global: { maxConcurrent: 100, maxQps: 7 },
      perTool: new Map([["web_search", { maxQps: 0.5, queue: { maxLength: 0 } }]]),
      perClient: { rate: { calls: 60, perMs: 60_000 }, burst: 1, shadow: true },
      clients: new Map([["ann", { maxConcurrent: 3, queue: { maxWaitMs: 1_000 } }]]),
    });
  });

  it("puts the environment over the file, with paths as the file has them", () => {
    const { config } = loaded("log_level: warn\ntools_dir: a\ndrain: 1s\n", {
      TOOLGATE_LOG_LEVEL: "error",
      TOOLGATE_TOOLS_DIR: "b",
    });
    expect(config).toMatchObject({ logLevel: "error", toolsDir: join(folder, "b"), drainMs: 1_000 });
    const bare = loadConfig(undefined, { TOOLGATE_TOOLS_DIR: "b" });
    expect(bare.ok && bare.config.toolsDir).toBe(resolve("b"));
  });

  it("warns of what is read and not in force, and of variables that mean nothing", () => {
    const yaml = "pipelines: []\n";
    const { warnings } = loaded(yaml, { TOOLGATE_TYPO: "x" });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("TOOLGATE_TYPO is not a setting of Toolgate");
    for (const key of ["pipelines"]) {
      expect(warnings).toContain(`"${key}" is configured, but this version does not enforce it yet.`);
    }
  });

  it("refuses what the environment says wrongly", () => {
    expect(problems("{}", { TOOLGATE_DRAIN: "soon" })).toEqual([
      expect.stringMatching(/^The environment variable TOOLGATE_DRAIN: /),
    ]);
  });

  it.each([
    ["lissten: {}\n", "gateway.yaml:1:1:", 'Unknown key "lissten". Did you mean "listen"?'],
    ["log_level: loud\n", "gateway.yaml:1:12:", '"loud"'],
    ["listen:\n  grpc: nowhere\n", "gateway.yaml:2:9:", 'Expected "host:port"'],
    ["drain: 5\n", "gateway.yaml:1:8:", "A duration needs a unit"],
    ["drain: 1m\n", "gateway.yaml:1:8:", "at most 8s"],
    ["max_message_bytes: 1KB\n", "gateway.yaml:1:20:", "KiB"],
    ["rate_limits: { global: { max_concurrent: 0 } }\n", "gateway.yaml:1:42:", "at least 1"],
    ["rate_limits: { global: { burst: 5 } }\n", "gateway.yaml:1:33:", 'a "rate" or "max_qps"'],
    ["rate_limits: { per_client: { queue: {} } }\n", "gateway.yaml:1:37:", '"max_concurrent"'],
    ["rate_limits: { per_client: { rate: 60 } }\n", "gateway.yaml:1:36:", "A rate needs a period"],
    ["store: redis\n", "gateway.yaml:1:8:", "memory"],
    ["toolsets:\n  __proto__: { aliases: 7 }\n", "gateway.yaml:2:", ""],
    ["toolsets:\n  a b: {}\n", "gateway.yaml:2:3:", '"a b"'],
    ["a: [\n", "gateway.yaml:", ""],
  ])("says file, line, column and what was expected: %j", (yaml, place, message) => {
    const [first] = problems(yaml);
    expect(first).toContain(place);
    expect(first).toContain(message);
  });

  it("says every problem at once, in the order of the file", () => {
    const found = problems("log_level: loud\ndrain: 5\nextra: 1\n");
    expect(found.map((text) => text.split(":")[1])).toEqual(["1", "2", "3"]);
  });

  it("does not take a key for its hash, and does not repeat it", () => {
    const [first] = problems("clients:\n  - { id: ann, key_hashes: [tg_live_secret] }\n");
    expect(first).toContain("gateway.yaml:2:");
    expect(first).toContain("never the key itself");
    expect(first).not.toContain("tg_live_secret");
  });

  it("refuses a client that is there twice, and a key of two clients", () => {
    const yaml = `clients:
  - { id: ann, key_hashes: ["${hash("1")}"] }
  - { id: bob, key_hashes: ["${hash("2")}", "${hash("1")}"] }
  - { id: ann, key_hashes: ["${hash("3")}"] }
`;
    expect(problems(yaml)).toEqual([
      `gateway.yaml:3:${columnOf(hash("1"), yaml, 3)}: This key is already one of "ann".`,
      'gateway.yaml:4:11: The client "ann" is there twice. Put all its keys into one entry.',
    ]);
  });

  it("says that a file is not there, and what to do", () => {
    const missing = join(folder, "missing.yaml");
    expect(loadConfig(missing, {})).toEqual({
      ok: false,
      problems: [
        `The configuration file ${missing} does not exist. Make one with "toolgate init", or name another with --config.`,
      ],
    });
    mkdirSync(join(folder, "a-folder.yaml"), { recursive: true });
    expect(loadConfig(join(folder, "a-folder.yaml"), {})).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("cannot be read")],
    });
  });
});

/** The column, from 1, at which a quoted text stands in a line. */
function columnOf(text: string, yaml: string, line: number): number {
  return (yaml.split("\n")[line - 1] ?? "").indexOf(`"${text}"`) + 1;
}
