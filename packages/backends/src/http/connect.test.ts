import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { afterEach, describe, expect, it } from "vitest";
import { errorOf, textOf } from "../../test/calling.ts";
import { TestServer } from "../../test/http-server.ts";
import { httpTool } from "../../test/http-tool.ts";
import { plainAddress } from "../address-guard.ts";
import { createHttpBackend, type HttpBackendOptions } from "./index.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(options: HttpBackendOptions) {
  const server = await TestServer.start((_request, response) => response.end("reached"));
  const backend = createHttpBackend(options);
  closers.push(
    () => server.stop(),
    () => backend.close(),
  );
  return { server, backend };
}

const confined = (endpoint: string) => httpTool({ endpoint }, { confined: true });

describe("the address guard", () => {
  it.each(["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:7f00:1]", "localhost"])(
    "security-03 (modelcontextprotocol/servers#4838): sees every connection, also to %s",
    async (host) => {
      const { server, backend } = await setUp({ allowAddress: () => false });
      const error = await errorOf(backend, confined(`http://${host}:${server.port}/`));
      expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", retryable: false });
      expect(error.message).toContain("may not connect to");
      expect(server.connections).toBe(0);
    },
  );

  it("security-03 (modelcontextprotocol/servers#4838): of a name's addresses only allowed ones are dialled", async () => {
    const asked: string[] = [];
    const allowAddress = (ip: string) => {
      asked.push(ip);
      return ip === "127.0.0.1";
    };
    const { server, backend } = await setUp({ allowAddress });
    expect((await textOf(backend, confined(`http://localhost:${server.port}/`))).text).toBe("reached");
    expect(asked).toContain("127.0.0.1");
  });

  it("lets tools that the operator wrote go anywhere, and lends their connections to nobody else", async () => {
    const { server, backend } = await setUp({ allowAddress: () => false });
    const endpoint = `http://localhost:${server.port}/`;
    expect((await textOf(backend, httpTool({ endpoint }))).text).toBe("reached");
    expect(await errorOf(backend, confined(endpoint))).toMatchObject({ code: "BACKEND_UNREACHABLE" });
    expect(server.seen).toHaveLength(1);
  });

  it("does not tell the caller which address a name has", async () => {
    const { server, backend } = await setUp({ allowAddress: () => false });
    const error = await errorOf(backend, confined(`http://localhost:${server.port}/`));
    expect(error.message).not.toMatch(/127\.0\.0\.1|::1/);
  });

  it.each([
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::FFFF:a9fe:a9fe", "169.254.169.254"],
    ["64:ff9b::a9fe:a9fe", "169.254.169.254"],
    ["::1", "::1"],
    ["10.0.0.1", "10.0.0.1"],
  ])("takes %s for %s", (ip, plain) => {
    expect(plainAddress(ip)).toBe(plain);
  });
});

describe("TLS", () => {
  const fixture = (name: string) => readFileSync(new URL(`../../test/fixtures/${name}`, import.meta.url), "utf8");

  async function secure() {
    const credentials = { key: fixture("localhost-key.pem"), cert: fixture("localhost-cert.pem") };
    const server = await TestServer.start(
      (_request, response) => response.end("secret"),
      (listener) => createServer(credentials, listener),
    );
    closers.push(() => server.stop());
    return server;
  }

  it("is spoken to a backend whose authority is trusted", async () => {
    const server = await secure();
    const backend = createHttpBackend({ ca: fixture("localhost-cert.pem") });
    closers.push(() => backend.close());
    expect((await textOf(backend, httpTool({ endpoint: `https://localhost:${server.port}/` }))).text).toBe("secret");
  });

  it("is refused to a backend that cannot prove its name", async () => {
    const server = await secure();
    const backend = createHttpBackend();
    closers.push(() => backend.close());
    const error = await errorOf(backend, httpTool({ endpoint: `https://localhost:${server.port}/` }));
    expect(error.code).toBe("BACKEND_UNREACHABLE");
    expect(error.message).toContain("certificate is self-signed");
    expect(server.seen).toHaveLength(0);
  });
});
