import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { BACKEND_BODY_LIMIT, type Backend, type JsonObject, parseJson, type Tool } from "@toolgate/core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { errorOf, textOf } from "../../test/calling.ts";
import { type Answerer, TestServer } from "../../test/http-server.ts";
import { httpTool } from "../../test/http-tool.ts";
import { createHttpBackend } from "./index.ts";

/** A busy machine may take its time. */
const PATIENCE = { timeout: 5_000 };
const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const backend: Backend = createHttpBackend({ now: () => NOW });
const servers: TestServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => backend.close());

/** A tool whose backend answers like this. */
async function answering(answer: Answerer, settings: JsonObject = {}, changes: Partial<Tool> = {}) {
  const server = await TestServer.start(answer);
  servers.push(server);
  return { server, tool: httpTool({ endpoint: `${server.origin}/x`, ...settings }, changes) };
}

const body =
  (bytes: string | Buffer, headers: Record<string, string> = {}): Answerer =>
  (_request, response) =>
    response.writeHead(200, headers).end(bytes);

describe("a good answer", () => {
  it("http-02 (IBM/mcp-context-forge#1599): plain text goes on as text with its type", async () => {
    const { tool } = await answering(body("ok", { "content-type": "text/plain" }));
    expect(await textOf(backend, tool)).toEqual({ kind: "text", text: "ok", mediaType: "text/plain" });
  });

  it("http-08 (anthropics/claude-code#78762): the text of a JSON answer is not touched", async () => {
    const text = '{ "Id": 1917043659912705296, "price": 1.10 }';
    const { tool } = await answering(body(text, { "content-type": "application/json" }));
    expect((await textOf(backend, tool)).text).toBe(text);
  });

  it("http-09 (mrexodia/ida-pro-mcp#510): big integers go through arguments and answer without a throw", async () => {
    const echo: Answerer = (request, response) => response.end(request.body);
    const { tool } = await answering(echo, { method: "POST" });
    const args = { id: 18446744073709551615n };
    expect(parseJson((await textOf(backend, tool, args)).text)).toEqual(args);
  });

  it("may be empty", async () => {
    const { tool } = await answering((_request, response) => response.writeHead(204).end());
    expect(await textOf(backend, tool)).toEqual({ kind: "text", text: "", mediaType: "" });
  });

  it("of a HEAD has no body, whatever its length says", async () => {
    const announce: Answerer = (_request, response) => response.writeHead(200, { "content-length": "99999999" }).end();
    const { tool } = await answering(announce, { method: "HEAD" });
    expect((await textOf(backend, tool)).text).toBe("");
  });

  it("may come in pieces, cut in the middle of a character", async () => {
    const bytes = Buffer.from("读🎉".repeat(3));
    const { tool } = await answering(async (_request, response) => {
      for (const byte of bytes) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      response.end();
    });
    expect((await textOf(backend, tool)).text).toBe("读🎉读🎉读🎉");
  });

  it("may come after an early hint", async () => {
    const { tool } = await answering((_request, response) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" });
      response.end("late");
    });
    expect((await textOf(backend, tool)).text).toBe("late");
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
  ])("is read when it is compressed unasked (%s)", async (encoding, compress) => {
    const { tool, server } = await answering(body(compress("compressed 读"), { "content-encoding": encoding }));
    expect((await textOf(backend, tool)).text).toBe("compressed 读");
    expect(server.seen[0]?.headers).not.toHaveProperty("accept-encoding");
  });

  it("is read in the charset it names", async () => {
    const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
    const { tool } = await answering(body(gbk, { "content-type": "text/plain; charset=GBK" }));
    expect((await textOf(backend, tool)).text).toBe("你好");
  });

  it("is read without its byte order mark", async () => {
    const { tool } = await answering(body('\ufeff{"a":1}', { "content-type": "application/json; charset=utf-8" }));
    expect((await textOf(backend, tool)).text).toBe('{"a":1}');
  });

  it("is read with a warning where its encoding is broken or not known", async () => {
    const broken = await answering(body(Buffer.from([0x61, 0xff]), { "content-type": "text/plain" }));
    expect(await textOf(backend, broken.tool)).toMatchObject({ text: "a\ufffd", warnings: [expect.any(String)] });
    const unknown = await answering(body("abc", { "content-type": "text/plain; charset=klingon" }));
    expect(await textOf(backend, unknown.tool)).toMatchObject({ text: "abc", warnings: [expect.any(String)] });
  });
});

describe("an answer that cannot be used", () => {
  it("is refused when it is binary, naming its type", async () => {
    const { tool } = await answering(body(Buffer.from([0x89, 0x50, 0xff, 0]), { "content-type": "image/png" }));
    expect(await errorOf(backend, tool)).toMatchObject({
      code: "RESULT_INVALID",
      message: expect.stringContaining("image/png"),
    });
  });

  it("is refused when it grows too large on being unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(1024 * 1024));
    const response = { format: "auto" as const, maxBytes: 4096 };
    const { tool } = await answering(body(bomb, { "content-encoding": "gzip" }), {}, { response });
    expect(bomb.length).toBeLessThan(4096);
    expect((await errorOf(backend, tool)).code).toBe("RESULT_TOO_LARGE");
  });

  it.each(["gzip", "magic"])("is refused when it is not the %s that it says", async (encoding) => {
    const { tool } = await answering(body("plain", { "content-encoding": encoding }));
    expect((await errorOf(backend, tool)).code).toBe("RESULT_INVALID");
  });

  it("is not read beyond the bound, also when no length was announced", async () => {
    const response = { format: "auto" as const, maxBytes: 1000 };
    const endless: Answerer = (_request, answer) => {
      const more = () => {
        while (!answer.destroyed && answer.write("x".repeat(500)));
      };
      answer.on("drain", more);
      more();
    };
    const { tool, server } = await answering(endless, {}, { response });
    expect((await errorOf(backend, tool)).code).toBe("RESULT_TOO_LARGE");
    await expect.poll(() => server.givenUp, PATIENCE).toBe(1);
  });

  it("that is just as large as the bound is taken", async () => {
    const response = { format: "auto" as const, maxBytes: 1000 };
    const { tool } = await answering(body("x".repeat(1000)), {}, { response });
    expect((await textOf(backend, tool)).text).toHaveLength(1000);
  });
});

describe("an error of the backend", () => {
  const failing = (status: number, text = "", headers: Record<string, string> = {}) =>
    answering((_request, response) => response.writeHead(status, headers).end(text));

  it("http-03 (IBM/mcp-context-forge#6027): is told with status and body", async () => {
    const text = '{"errors":[{"code":6003,"message":"Invalid zone"}]}';
    const error = await errorOf(backend, (await failing(400, text)).tool);
    expect(error.code).toBe("TOOL_ERROR");
    expect(error.message).toContain("400 Bad Request");
    expect(error.message).toContain("Invalid zone");
    expect(error.details.backendAnswer).toEqual({ status: "400", body: text });
    expect(error.retryable).toBe(false);
  });

  it("is told in part when it is long, and read no further", async () => {
    const { tool } = await failing(500, `${"読".repeat(4095)}🎉${"x".repeat(100_000)}`);
    const error = await errorOf(backend, tool);
    expect(error.details.backendAnswer?.body).toBe("読".repeat(4095));
    expect(error.details.backendAnswer?.body.length).toBeLessThanOrEqual(BACKEND_BODY_LIMIT);
    expect(error.message.length).toBeLessThan(600);
  });

  it("is read when it is compressed unasked", async () => {
    const { tool } = await answering((_request, response) =>
      response.writeHead(500, { "content-encoding": "gzip" }).end(gzipSync("why it failed")),
    );
    expect((await errorOf(backend, tool)).message).toContain("why it failed");
  });

  it.each([
    ["30", 30_000],
    ["Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
  ])("limits-05 (api7/aisix#144): 429 is the backend's own limit, with Retry-After %j", async (header, ms) => {
    const error = await errorOf(backend, (await failing(429, "slow down", { "retry-after": header })).tool);
    expect(error).toMatchObject({ code: "RATE_LIMITED", retryable: true });
    expect(error.details).toMatchObject({ retryAfterMs: ms, backendAnswer: { status: "429", body: "slow down" } });
  });

  it("503 may be tried again, after the time it names", async () => {
    const error = await errorOf(backend, (await failing(503, "", { "retry-after": "7" })).tool);
    expect(error).toMatchObject({ code: "TOOL_ERROR", retryable: true });
    expect(error.details).toMatchObject({ retryAfterMs: 7000, backendAnswer: { status: "503" } });
  });

  it.each(["http://169.254.169.254/latest/meta-data?token=hunter2", "http://127.0.0.1:1/", "/elsewhere"])(
    "security-03 (modelcontextprotocol/servers#4838): a redirect to %s is told and not followed",
    async (location) => {
      const { tool, server } = await failing(302, "moved", { location });
      const error = await errorOf(backend, tool);
      expect(error.code).toBe("TOOL_ERROR");
      expect(error.message).toContain("Redirects are not followed");
      const target = new URL(location, server.origin);
      expect(error.message).toContain(`${target.origin}${target.pathname}`);
      expect(error.message).not.toContain("hunter2");
      expect(server.seen).toHaveLength(1);
    },
  );

  it("never repeats the secrets that were sent", async () => {
    const settings = { headers: { Authorization: "Bearer hunter2" } };
    const { tool, server } = await answering((_request, response) => response.writeHead(401).end("who?"), settings);
    const error = await errorOf(backend, { ...tool, backend: { ...(tool.backend as NonNullable<Tool["backend"]>) } });
    expect(server.seen[0]?.headers.authorization).toBe("Bearer hunter2");
    expect(JSON.stringify([error.message, error.details])).not.toContain("hunter2");
  });
});

describe("a request on the wire", () => {
  it("http-05 (knowsuchagency/mcp2cli#116): an encoded segment stays one", async () => {
    const { tool, server } = await answering(body("ok"), {});
    const settings = { endpoint: `${server.origin}/{color}/details` };
    for (const color of ["team/item", "a?b#c", "{second}", "%2e%2e"])
      await textOf(backend, httpTool(settings), { color });
    expect(server.seen.map(({ url }) => url)).toEqual([
      "/team%2Fitem/details",
      "/a%3Fb%23c/details",
      "/%7Bsecond%7D/details",
      "/%252e%252e/details",
    ]);
    expect(tool.name).toBe("http_tool");
  });

  it("says who calls, and carries the trace", async () => {
    const { tool, server } = await answering(body("ok"));
    await textOf(backend, tool);
    expect(server.seen[0]?.headers).toMatchObject({ "user-agent": "toolgate", host: `127.0.0.1:${server.port}` });
  });
});
