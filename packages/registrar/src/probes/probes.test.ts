import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { CheckSpec } from "@toolgate/core";
import { afterEach, describe, expect, it } from "vitest";
import { readEnvCheck, readHttpCheck, readTcpCheck, standardProbes } from "./index.ts";

const opened: { close(): void; closeAllConnections?(): void }[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  opened.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`;

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function probe(check: CheckSpec, signal: AbortSignal = new AbortController().signal) {
  const env = { SET: "s3cret", EMPTY: "" };
  return standardProbes(env).get(check.kind)?.probe(check, signal);
}

const httpCheck = (url: unknown): CheckSpec => ({ kind: "http", settings: { url: url as string } });

describe("http probe", () => {
  it.each([200, 204, 299])("is content with %d", async (status) => {
    const url = await serve((_request, answer) => answer.writeHead(status).end());
    expect(await probe(httpCheck(url))).toEqual({ ok: true });
  });

  it.each([
    [302, "answered 302 (redirects are not followed)"],
    [404, "answered 404"],
    [503, "answered 503"],
  ])("says that %d was the answer", async (status, words) => {
    const url = await serve((_request, answer) => answer.writeHead(status, { location: "/elsewhere" }).end());
    expect(await probe(httpCheck(`${url}/health`))).toEqual({ ok: false, reason: `GET ${url}/health: ${words}` });
  });

  it("does not wait for a body without end", async () => {
    const url = await serve((_request, answer) => answer.writeHead(200).write("for ever"));
    expect(await probe(httpCheck(url))).toEqual({ ok: true });
  });

  it("says that nobody listens, without the query of the URL", async () => {
    const origin = `http://localhost:${await closedPort()}`;
    expect(await probe(httpCheck(`${origin}/health?key=s3cret`))).toEqual({
      ok: false,
      reason: `GET ${origin}/health: connection refused`,
    });
  });

  it("says that the answer is not HTTP, or that there was none", async () => {
    const garbage = await listen(createTcpServer((socket) => socket.end("garbage\n")));
    expect(await probe(httpCheck(`http://127.0.0.1:${garbage}/`))).toMatchObject({
      reason: expect.stringMatching(/the answer is not HTTP$/),
    });
    const closing = await listen(createTcpServer((socket) => socket.destroy()));
    expect(await probe(httpCheck(`http://127.0.0.1:${closing}/`))).toMatchObject({
      reason: expect.stringMatching(/closed by the other side$/),
    });
  });

  it("ends when the signal aborts", async () => {
    const asked = Promise.withResolvers<void>();
    const url = await serve(() => asked.resolve());
    const controller = new AbortController();
    const result = probe(httpCheck(`${url}/slow`), controller.signal);
    await asked.promise;
    controller.abort();
    expect(await result).toEqual({ ok: false, reason: `GET ${url}/slow: no answer in time` });
    expect(await probe(httpCheck(url), controller.signal)).toMatchObject({ ok: false });
  });

  it("never throws, whatever the settings", async () => {
    for (const url of [undefined, 5, "", "ftp://x/", "http://"]) {
      expect(await probe(httpCheck(url))).toMatchObject({ ok: false });
    }
  });
});

describe("tcp probe", () => {
  it("is content with an open port", async () => {
    const port = await listen(createTcpServer());
    expect(await probe({ kind: "tcp", settings: { host: "127.0.0.1", port } })).toEqual({ ok: true });
  });

  it("says that nobody listens", async () => {
    const port = await closedPort();
    expect(await probe({ kind: "tcp", settings: { host: "127.0.0.1", port } })).toEqual({
      ok: false,
      reason: `TCP 127.0.0.1:${port}: connection refused`,
    });
  });

  it("never throws, and ends when the signal has aborted", async () => {
    const aborted = AbortSignal.abort();
    const check: CheckSpec = { kind: "tcp", settings: { host: "127.0.0.1", port: 1 } };
    expect(await probe(check, aborted)).toMatchObject({ ok: false, reason: "TCP 127.0.0.1:1: no answer in time" });
    expect(await probe({ kind: "tcp", settings: { host: "127.0.0.1", port: 99_999 } })).toMatchObject({ ok: false });
  });
});

describe("env probe", () => {
  it.each([
    ["SET", { ok: true }],
    ["EMPTY", { ok: false, reason: "the environment variable EMPTY is empty" }],
    ["NONE", { ok: false, reason: "the environment variable NONE is not set" }],
    ["toString", { ok: false, reason: "the environment variable toString is not set" }],
  ])("%s", async (name, result) => {
    expect(await probe({ kind: "env", settings: { name } })).toEqual(result);
  });
});

describe("checks as they are written", () => {
  it("reads the three forms", () => {
    const url = "https://a.example/health";
    expect(readHttpCheck(url)).toEqual({ ok: true, check: { kind: "http", settings: { url } } });
    expect(readTcpCheck("localhost:6379")).toMatchObject({ check: { settings: { host: "localhost", port: 6379 } } });
    expect(readTcpCheck("[::1]:6379")).toMatchObject({ check: { settings: { host: "::1", port: 6379 } } });
    expect(readEnvCheck("API_KEY")).toMatchObject({ check: { settings: { name: "API_KEY" } } });
  });

  it.each(["localhost", "ftp://a/", "http://user:pw@a/", ""])("refuses the URL %j", (text) => {
    expect(readHttpCheck(text).ok).toBe(false);
  });

  it.each(["localhost", "localhost:0", "localhost:65536", "::1:80", "a b:80", ":80"])(
    "refuses the place %j",
    (text) => {
      expect(readTcpCheck(text).ok).toBe(false);
    },
  );

  it.each(["", "A-B", "$A", "1A"])("refuses the variable %j", (text) => {
    expect(readEnvCheck(text).ok).toBe(false);
  });
});
