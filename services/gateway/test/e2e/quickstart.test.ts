import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { callHttp } from "./harness/gateway.ts";
import { finished, run } from "./harness/process.ts";
import { verifies } from "./verifies.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const FREE = {
  TOOLGATE_LISTEN_GRPC: "127.0.0.1:0",
  TOOLGATE_LISTEN_HTTP: "127.0.0.1:0",
  TOOLGATE_LISTEN_ADMIN: "127.0.0.1:0",
};

/** The article's tool names this port, so the quickstart cannot choose another one. */
async function portIsFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}

verifies("quickstart.start", async () => {
  expect(
    await portIsFree(8080),
    "port 8080, on which the sample weather service listens, is taken by another process",
  ).toBe(true);
  const startedAt = performance.now();
  const quickstart = run(process.execPath, ["examples/quickstart/start.ts"], { cwd: ROOT, env: FREE });
  const [, admin] = await quickstart.printed(/^ +admin +(\S+)/m);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(await (await fetch(`${admin}/readyz`)).text()).toBe("ready\n");
  const [, curl = ""] = await quickstart.printed(/^(curl .+)$/m);
  const [, command = ""] = await quickstart.printed(/^(npx toolgate .+)$/m);
  const [snippet] = await quickstart.printed(/^npx node .*<<'TS'\n[\s\S]*?\nTS$/m);
  for (const toolset of ["docs", "file", "weather"])
    expect(quickstart.stdout()).toMatch(new RegExp(`^ +${toolset} +healthy`, "m"));

  const paste = (text: string) => finished(run("bash", ["-c", text], { cwd: ROOT }));
  const pasted = await paste(curl);
  expect(JSON.parse(pasted.stdout)).toMatchObject({
    status: "success",
    tool: "weather_query",
    data: { temperature: 21, condition: "sunny", humidity: 38 },
  });
  expect(JSON.parse((await paste(command)).stdout)).toEqual({ temperature: 21, condition: "sunny", humidity: 38 });
  expect((await paste(snippet)).stdout.trim()).toBe("{ temperature: 21, condition: 'sunny', humidity: 38 }");

  const [, http = ""] = await quickstart.printed(/^ +HTTP +(\S+)/m);
  const read = await callHttp({ http }, { tool: "read_file", params: { path: "welcome.md" } });
  expect(read.envelope).toMatchObject({ status: "success", data: { content: expect.stringContaining("# Welcome") } });
  const found = await callHttp({ http }, { tool: "docs_search", params: { query: "OUTCOME_UNKNOWN" } });
  expect(found.envelope).toMatchObject({ status: "success", meta: { toolset: "docs" } });
  expect(found.envelope.data.results.map(({ path }: { path: string }) => path)).toContain("errors.md");

  quickstart.child.kill("SIGTERM");
  expect(await quickstart.ended).toEqual({ code: 0, signal: null });
  expect(await portIsFree(8080)).toBe(true);
});
