import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type TestGateway, testGateway } from "./harness/gateway.ts";
import { finished, toolgate } from "./harness/process.ts";
import { clientTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

function cli(gateway: Pick<TestGateway, "grpc">, ...args: string[]) {
  return finished(toolgate(["--gateway", gateway.grpc, ...args]));
}

verifies("cli.audit", async () => {
  const gateway = await testGateway({
    yaml: "audit: {file: audit.jsonl, arguments: redacted}\n",
    tools: { "a.yaml": clientTool("a"), "b.yaml": clientTool("b") },
  });
  await gateway.client.call("a", '{"id":1917043659912705296}', { callId: "c1" });
  await gateway.client.call("b", {}, { callId: "c2" });
  await gateway.client.call("none", {}, { callId: "c3" });
  await gateway.client.reportOutcome({ callId: "c1", status: "error", code: "TOOL_ERROR", latencyMs: 7 });
  const table = await cli(gateway, "audit");
  expect(table.code).toBe(0);
  const [header, ...rows] = table.stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(header).toEqual(["TIME", "CALLER", "DOOR", "WHAT", "STATUS", "MS", "CALL"]);
  expect(rows.map((row) => [row[3], row[4], row[6]])).toEqual([
    ["a (the agent's run)", "TOOL_ERROR", "c1"],
    ["none", "TOOL_NOT_FOUND", "c3"],
    ["b", "delegated", "c2"],
    ["a", "delegated", "c1"],
  ]);
  const lines = await cli(gateway, "audit", "--json", "--limit", "1000");
  const file = readFileSync(join(gateway.folder, "audit.jsonl"), "utf8");
  expect(lines.stdout.trimEnd().split("\n").reverse()).toEqual(file.trimEnd().split("\n"));
  expect(lines.stdout).toContain('"arguments":{"id":"1917043659912705296"}');
  expect(lines.stderr).toBe("");
  const filtered = await cli(gateway, "audit", "--json", "--call", "c1", "--kind", "call", "--since", "10m");
  expect(
    filtered.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).tool),
  ).toEqual(["a"]);
  expect(await cli(gateway, "audit", "--tool", "nobody")).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "No entries.\n",
  });
  expect((await cli(gateway, "audit", "--limit", "2")).stderr).toContain("There is more: toolgate audit --limit 20");
  for (const wrong of [
    ["--since", "yesterday"],
    ["--limit", "0"],
    ["--kind", "calls"],
  ]) {
    const refused = await cli(gateway, "audit", ...wrong);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).not.toBe("");
  }
  const off = await testGateway({ yaml: "audit: {enabled: false}\n" });
  const none = await cli(off, "audit");
  expect(none).toMatchObject({ code: 1, stdout: "" });
  expect(none.stderr).toContain("keeps no audit log");
});

verifies("cli.switch", "watch-08 (openlinker-project/openlinker#1932)", async () => {
  const gateway = await testGateway({ tools: { "web/a.yaml": clientTool("a"), "web/b.yaml": clientTool("b") } });
  const names = async () => (await gateway.client.listTools()).tools.map(({ name }) => name);
  const heard: string[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    for await (const event of gateway.client.watchToolsets({ signal: watching.signal })) heard.push(event.type);
  })();
  const off = await cli(gateway, "disable", "a");
  expect(off).toMatchObject({ code: 0, stdout: 'The tool "a" is off.\n' });
  expect(await names()).toEqual(["b"]);
  const refused = await gateway.client.call("a");
  expect(refused).toMatchObject({ status: "error", error: { code: "TOOL_UNAVAILABLE" } });
  expect(refused.status === "error" && refused.error.message).toContain("switched off");
  expect(await cli(gateway, "enable", "a")).toMatchObject({ code: 0, stdout: 'The tool "a" is on.\n' });
  expect(await gateway.client.call("a")).toMatchObject({ status: "delegated" });
  expect(await cli(gateway, "disable", "--toolset", "web")).toMatchObject({ code: 0 });
  expect(await names()).toEqual([]);
  await expect.poll(() => heard.filter((type) => type === "health").length).toBe(3);
  watching.abort();
  await watched;
  expect(await cli(gateway, "disable", "none")).toMatchObject({ code: 1, stderr: 'There is no tool "none".\n' });
});
