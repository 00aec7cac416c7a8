import { describe, expect, it } from "vitest";
import { environmentSettings, overrideFromEnvironment } from "./environment.ts";

const HASH = `sha256:${"0".repeat(64)}`;
const override = (env: Record<string, string>, base: Record<string, unknown> = {}) =>
  overrideFromEnvironment(base, env);

function problem(env: Record<string, string>): string {
  const { problems } = override(env);
  expect(problems).toHaveLength(1);
  return problems[0] as string;
}

describe("environmentSettings", () => {
  it("has a variable for each leaf, and none twice", () => {
    const settings = environmentSettings();
    const variables = settings.map(({ variable }) => variable);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toContain("TOOLGATE_LISTEN_GRPC");
    expect(variables).toContain("TOOLGATE_RATE_LIMITS_GLOBAL_MAX_QPS");
    expect(variables).not.toContain("TOOLGATE_LISTEN");
    for (const variable of variables) expect(variable).toMatch(/^TOOLGATE_[A-Z_]+$/);
  });
});

describe("overrideFromEnvironment", () => {
  it("puts settings over those of the file, and leaves the others and the file itself alone", () => {
    const base = { listen: { grpc: 1, http: 2 }, log_level: "info" };
    const { value, problems, unknown } = override(
      { TOOLGATE_LISTEN_GRPC: "0.0.0.0:7000", TOOLGATE_LOG_LEVEL: "debug" },
      base,
    );
    expect(value).toEqual({ listen: { grpc: { host: "0.0.0.0", port: 7_000 }, http: 2 }, log_level: "debug" });
    expect(base).toEqual({ listen: { grpc: 1, http: 2 }, log_level: "info" });
    expect([problems, unknown]).toEqual([[], []]);
  });

  it.each([
    ["TOOLGATE_LISTEN_HTTP", "9001", { listen: { http: { host: "127.0.0.1", port: 9_001 } } }],
    ["TOOLGATE_TOOLS_DIR", "123", { tools_dir: "123" }],
    ["TOOLGATE_DRAIN", "500ms", { drain: 500 }],
    ["TOOLGATE_MAX_MESSAGE_BYTES", "1MiB", { max_message_bytes: 1_048_576 }],
    ["TOOLGATE_CACHE_ENABLED", "true", { cache: { enabled: true } }],
    ["TOOLGATE_REGISTRATION_ALLOWED_HOSTS", '["a","b"]', { registration: { allowed_hosts: ["a", "b"] } }],
    [
      "TOOLGATE_CLIENTS",
      JSON.stringify([{ id: "ann", key_hashes: [HASH] }]),
      { clients: [{ id: "ann", key_hashes: [HASH] }] },
    ],
  ])("reads %s=%s", (variable, text, expected) => {
    expect(override({ [variable]: text })).toEqual({ value: expected, problems: [], unknown: [] });
  });

  it.each([
    ["TOOLGATE_LOG_LEVEL", "loud", "trace"],
    ["TOOLGATE_DRAIN", "5", "A duration needs a unit"],
    ["TOOLGATE_DRAIN", "9s", "at most 8s"],
    ["TOOLGATE_LISTEN_GRPC", "nowhere", '"host:port"'],
    ["TOOLGATE_TOOLS_DIR", "", "TOOLGATE_TOOLS_DIR"],
    ["TOOLGATE_CLIENTS", "[{", "Expected JSON text, and it is not valid JSON."],
    ["TOOLGATE_CLIENTS", '[{"id":"a b","key_hashes":[]}]', "at 0."],
    ["TOOLGATE_CLIENTS", '[{"id":"a","key_hashes":[],"x":1}]', "at 0"],
  ])("says what is wrong with %s=%s", (variable, text, message) => {
    expect(problem({ [variable]: text })).toMatch(new RegExp(`^The environment variable ${variable}: .*[^.]\\.$`));
    expect(problem({ [variable]: text })).toContain(message);
  });

  it("names every variable that is wrong at once", () => {
    expect(override({ TOOLGATE_DRAIN: "x", TOOLGATE_LOG_LEVEL: "x" }).problems).toHaveLength(2);
  });

  it("does not repeat a key that stands where its hash should", () => {
    const text = problem({ TOOLGATE_CLIENTS: JSON.stringify([{ id: "ann", key_hashes: ["tg_live_secret"] }]) });
    expect(text).toContain("at 0.key_hashes.0");
    expect(text).toContain("never the key itself");
    expect(text).not.toContain("tg_live_secret");
  });

  it("names what has our prefix and means nothing", () => {
    const env = {
      TOOLGATE_LISTEN_GRPCS: "x",
      TOOLGATE_HTTP_PORT: "8080",
      TOOLGATE_: "",
      OTHER: "x",
      toolgate_drain: "x",
    };
    expect(override(env)).toMatchObject({
      problems: [],
      unknown: ["TOOLGATE_LISTEN_GRPCS", "TOOLGATE_HTTP_PORT", "TOOLGATE_"],
    });
  });

  it("knows what the command line reads, and what Kubernetes adds for a service of our name", () => {
    const env = {
      TOOLGATE_GATEWAY: "127.0.0.1:50051",
      TOOLGATE_API_KEY: "key",
      TOOLGATE_CONFIG: "gateway.yaml",
      TOOLGATE_SERVICE_HOST: "10.0.0.11",
      TOOLGATE_SERVICE_PORT: "50051",
      TOOLGATE_SERVICE_PORT_GRPC: "50051",
      TOOLGATE_PORT: "tcp://10.0.0.11:50051",
      TOOLGATE_PORT_50051_TCP: "tcp://10.0.0.11:50051",
      TOOLGATE_PORT_50051_TCP_PROTO: "tcp",
      TOOLGATE_PORT_50051_TCP_ADDR: "10.0.0.11",
      TOOLGATE_ADMIN_PORT: "tcp://10.0.0.12:9464",
      TOOLGATE_ADMIN_SERVICE_HOST: "10.0.0.12",
    };
    expect(override(env)).toEqual({ value: {}, problems: [], unknown: [] });
  });
});
