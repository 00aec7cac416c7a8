import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { gatewayFolder } from "./harness/folder.ts";
import { finished, toolgate } from "./harness/process.ts";
import { serving } from "./harness/serving.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

/** `toolgate serve` that is expected to refuse. */
async function refused(folder: string, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await finished(
    toolgate(["serve", "--config", join(folder, "gateway.yaml")], { env }),
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("Toolgate did not start.");
  expect(stderr).not.toMatch(/\n\s+at |Error:/);
  return stderr;
}

verifies("start.taken-port", async () => {
  const port = await takenPort();
  const folder = gatewayFolder({});
  for (const [door, what] of [
    ["GRPC", "gRPC"],
    ["HTTP", "HTTP"],
    ["ADMIN", "the admin port"],
  ]) {
    const words = await refused(folder, { [`TOOLGATE_LISTEN_${door}`]: String(port) });
    expect(words).toContain(`Cannot listen for ${what} on 127.0.0.1:${port}: another process already listens there.`);
  }
});

verifies("start.public-address", async () => {
  for (const door of ["grpc", "http", "admin"]) {
    const words = await refused(gatewayFolder({}), { [`TOOLGATE_LISTEN_${door.toUpperCase()}`]: "0.0.0.0:0" });
    expect(words).toContain(`listen.${door} is 0.0.0.0:0`);
    expect(words).toContain("no API key is configured");
  }
});

verifies("start.bad-config", async () => {
  const folder = gatewayFolder({
    yaml: "log_levle: info\nmax_message_bytes: 4\nclients:\n  - id: a b\n    key_hashes: [secret-key-itself]\n",
  });
  const words = await refused(folder);
  expect(words).toMatch(/gateway\.yaml:3:1: .*"log_levle".*"log_level"/);
  expect(words).toMatch(/gateway\.yaml:4:20: .*unit/);
  expect(words).toMatch(/gateway\.yaml:6:9: /);
  expect(words).toMatch(/gateway\.yaml:7:18: .*SHA-256 of the key/);
  expect(words).not.toContain("secret-key-itself");
});

verifies("start.bad-config", "a file that is not there, and one that is no YAML", async () => {
  const none = await finished(toolgate(["serve", "--config", "/nowhere/gateway.yaml"]));
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("The configuration file /nowhere/gateway.yaml does not exist.");
  expect(await refused(gatewayFolder({ yaml: "clients: [\n" }))).toMatch(/gateway\.yaml:\d+:\d+: /);
});

verifies("start.environment", async () => {
  const tools = { "echo.yaml": httpTool("echo", "http://127.0.0.1:9/x") };
  const other = gatewayFolder({ tools: { "other.yaml": httpTool("other", "http://127.0.0.1:9/x") } });
  const gateway = await serving({
    tools,
    env: { TOOLGATE_TOOLS_DIR: join(other, "tools"), TOOLGATE_MAX_MESSAGE_BYTES: "2KiB", TOOLGATE_NONSENSE: "1" },
  });
  const list = (await (await fetch(`${gateway.http}/v1/tools`)).json()) as { tools: { name: string }[] };
  expect(list.tools.map(({ name }) => name)).toEqual(["other"]);
  const large = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tool: "x".repeat(3_000) }),
  };
  expect((await fetch(`${gateway.http}/v1/call`, large)).status).toBe(413);
  expect(gateway.stderr()).toContain("TOOLGATE_NONSENSE is not a setting of Toolgate");
  const words = await refused(gatewayFolder({}), { TOOLGATE_DRAIN: "soon" });
  expect(words).toContain("TOOLGATE_DRAIN");
});
