import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { writeFile } from "./harness/folder.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json, type ScriptedAnswer } from "./harness/http-backend.ts";
import { finished, toolgate } from "./harness/process.ts";
import { serving } from "./harness/serving.ts";
import { httpTool, type ToolFileKeys } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const XML = "<users><user id='1'>Ann</user><user id='2'>Bea</user></users>";
const BIG = "1917043659912705296";

/** The same scripts in each language that a tool owner may choose. */
const LANGUAGES = {
  javascript: {
    xml: "export default (xml) => ({ users: [...xml.matchAll(/<user [^>]*>([^<]*)/g)].map(([, name]) => name) });",
    identity: "function transform(input) { return input; }",
    throws: "function transform(input) {\n  return input.no.where;\n}",
    hangs: "function transform() { for (;;); }",
    syntax: "function transform() {\n  return ];\n}",
    line: 2,
  },
} as const;
const languages = Object.entries(LANGUAGES) as [keyof typeof LANGUAGES, (typeof LANGUAGES)["javascript"]][];

async function transforming(answer: ScriptedAnswer, response: ToolFileKeys, keys: ToolFileKeys = {}) {
  const backend = await httpBackend(() => answer);
  const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", backend.url, { response, ...keys }) } });
  return { backend, gateway, grpc: grpcClient(gateway.grpc) };
}

const xml: ScriptedAnswer = { headers: { "content-type": "text/xml" }, body: XML };

for (const [language, scripts] of languages) {
  verifies(
    "results.transform",
    `in ${language}: before the mapping, through both doors, and not for a raw call`,
    async () => {
      const response = {
        transform: { language, source: scripts.xml },
        mapping: { names: "$.users[*]", first: "$.users[0]" },
      };
      const { gateway, grpc } = await transforming(xml, response);
      const data = { names: ["Ann", "Bea"], first: "Ann" };
      expect((await callHttp(gateway, { tool: "t" })).envelope).toMatchObject({ status: "success", data });
      const viaGrpc = await callGrpc(grpc, asText("t", {}));
      expect(JSON.parse(String(viaGrpc.payload.value))).toEqual(data);
      expect((await callHttp(gateway, { tool: "t", raw: true })).envelope.data).toBe(XML);
    },
  );

  verifies("results.transform", `in ${language}: every digit of an integer goes through`, async () => {
    const answer = { headers: { "content-type": "application/json" }, body: `{"id":${BIG}}` };
    const { gateway } = await transforming(answer, { transform: { language, source: scripts.identity } });
    expect((await callHttp(gateway, { tool: "t" })).text).toContain(`"data":{"id":${BIG}},`);
  });

  verifies(
    "results.transform-faults",
    `in ${language}: RESULT_INVALID with the line, and never a second backend call`,
    async () => {
      const { backend, gateway } = await transforming(json({}), { transform: { language, source: scripts.throws } });
      const { status, envelope } = await callHttp(gateway, { tool: "t" });
      expect(status).toBe(502);
      expect(envelope.error).toMatchObject({ code: "RESULT_INVALID", class: "tool", retryable: false });
      expect(envelope.error.message).toMatch(/^The transform script of "t" failed in line 2: \w+Error: ./);
      expect(backend.requests).toHaveLength(1);
    },
  );

  verifies(
    "results.transform-bounds",
    `in ${language}: one that hangs is ended, and holds up nobody else`,
    async () => {
      const backend = await httpBackend(() => json({ a: 1 }));
      const gateway = await testGateway({
        tools: {
          "hangs.yaml": httpTool("hangs", backend.url, {
            response: { transform: { language, source: scripts.hangs, timeout: "2s" } },
          }),
          "fine.yaml": httpTool("fine", backend.url, {
            response: { transform: { language, source: scripts.identity } },
          }),
        },
      });
      expect((await callHttp(gateway, { tool: "fine" })).envelope.data).toEqual({ a: 1 });
      let hung = 0;
      const hanging = Array.from({ length: 8 }, () => callHttp(gateway, { tool: "hangs" }).finally(() => (hung += 1)));
      await vi.waitFor(() => expect(backend.requests).toHaveLength(9));
      expect((await callHttp(gateway, { tool: "fine" })).envelope.data).toEqual({ a: 1 });
      expect(hung).toBe(0);
      for (const { envelope } of await Promise.all(hanging)) {
        expect(envelope.error).toMatchObject({
          code: "RESULT_INVALID",
          message: expect.stringMatching(/2000 ms|too many/),
        });
      }
    },
  );

  verifies(
    "results.transform-checked",
    `in ${language}: a script that cannot be read is an error of its file`,
    async () => {
      const backend = await httpBackend(() => json({ a: 1 }));
      const tool = `name: t\ntype: http\nendpoint: ${backend.url}\nresponse:\n  transform:\n    language: ${language}\n    source: |\n`;
      const block = (source: string) => `${tool}${source.replaceAll(/^/gm, "      ")}\n`;
      const gateway = await testGateway({ tools: { "t.yaml": block(scripts.identity) } });
      writeFileSync(join(gateway.folder, "tools/t.yaml"), block(scripts.syntax));
      await gateway.running.reload();
      const [problem, ...more] = gateway.running.problems();
      expect(more).toEqual([]);
      expect(problem).toMatchObject({ file: "t.yaml", line: 7 + scripts.line });
      expect(problem?.message).toMatch(/^The transform script cannot be read: ./);
      expect((await callHttp(gateway, { tool: "t" })).envelope.data).toEqual({ a: 1 });
      const validated = await finished(toolgate(["validate", "--file", join(gateway.folder, "tools/t.yaml")]));
      expect(validated).toMatchObject({ code: 2, stderr: expect.stringContaining(`t.yaml:${7 + scripts.line}:`) });
    },
  );

  verifies(
    "results.transform",
    `in ${language}: in the command as it is shipped, which ends in time with a script running`,
    async () => {
      const backend = await httpBackend(() => json({ a: 1 }));
      const response = (source: string) => ({ response: { transform: { language, source, timeout: "30s" } } });
      const gateway = await serving({
        tools: {
          "t.yaml": httpTool("t", backend.url, response(scripts.identity)),
          "hangs.yaml": httpTool("hangs", backend.url, response(scripts.hangs)),
        },
      });
      expect((await callHttp(gateway, { tool: "t" })).envelope).toMatchObject({ status: "success", data: { a: 1 } });
      void callHttp(gateway, { tool: "hangs" }).catch(() => undefined);
      await vi.waitFor(() => expect(backend.requests).toHaveLength(2));
      const since = performance.now();
      gateway.child.kill("SIGTERM");
      expect(await gateway.ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - since).toBeLessThan(12_000);
    },
  );
}

verifies(
  "results.transform-files",
  "a script of its own, in force when it is saved, and only from below the tool file",
  async () => {
    const backend = await httpBackend(() => json({ n: 20 }));
    const gateway = await testGateway({
      tools: { "t.yaml": httpTool("t", backend.url, { response: { transform: { file: "scripts/t.js" } } }) },
    });
    // Without its script the tool is not there, and the error says why.
    expect(gateway.running.problems()).toMatchObject([
      { message: expect.stringContaining('"scripts/t.js" is not there') },
    ]);
    writeFile(join(gateway.folder, "tools/scripts/t.js"), "export default ({ n }) => n + 1;");
    await vi.waitFor(async () => expect((await callHttp(gateway, { tool: "t" })).envelope.data).toBe(21), 5_000);
    writeFile(join(gateway.folder, "tools/scripts/t.js"), "export default ({ n }) => n + 2;");
    await vi.waitFor(async () => expect((await callHttp(gateway, { tool: "t" })).envelope.data).toBe(22), 5_000);
    const outside = httpTool("t", backend.url, {
      response: { transform: { file: "../gateway.yaml", language: "javascript" } },
    });
    writeFile(join(gateway.folder, "tools/t.yaml"), outside);
    await gateway.running.reload();
    expect(gateway.running.problems()).toMatchObject([{ message: expect.stringContaining("must be in the folder") }]);
  },
);
