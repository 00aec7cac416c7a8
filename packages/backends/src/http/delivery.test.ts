import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Backend } from "@toolgate/core";
import { anInvocation, cancel, timeOut } from "@toolgate/testkit/backend-suite";
import { afterEach, describe, expect, it } from "vitest";
import { errorOf, textOf } from "../../test/calling.ts";
import { deadPort, TestServer } from "../../test/http-server.ts";
import { httpTool } from "../../test/http-tool.ts";
import { createHttpBackend, type HttpBackendOptions } from "./index.ts";

/** A busy machine may take its time. */
const PATIENCE = { timeout: 5_000 };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function newBackend(options: HttpBackendOptions = {}): Backend {
  const backend = createHttpBackend(options);
  closers.push(() => backend.close());
  return backend;
}

async function kept(server: Promise<TestServer>): Promise<TestServer> {
  const started = await server;
  closers.push(() => started.stop());
  return started;
}

/** When the next piece of an answer has come; undici tells it on this channel. */
function bodyArrives(): Promise<void> {
  const channel = "undici:request:bodyChunkReceived";
  return new Promise((resolve) => {
    const listener = () => {
      unsubscribe(channel, listener);
      setImmediate(resolve);
    };
    subscribe(channel, listener);
  });
}

const post = (origin: string) => httpTool({ endpoint: `${origin}/x`, method: "POST" });
const RESPONSE = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

describe("a backend that cannot be reached", () => {
  it("is named with the reason: nobody listens", async () => {
    const port = await deadPort();
    const error = await errorOf(newBackend(), post(`http://127.0.0.1:${port}`));
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", retryable: true });
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(error.message).toContain("connection refused");
  });

  it("is named with the reason: no such name", async () => {
    const error = await errorOf(newBackend(), post("http://no-such-host.invalid"));
    expect(error.code).toBe("BACKEND_UNREACHABLE");
    expect(error.message).toMatch(/no-such-host\.invalid.* name cannot be resolved/);
  });

  it("is named with the reason: no TLS there", async () => {
    const server = await kept(TestServer.startRaw((socket) => socket.end("HTTP/1.1 400 no\r\n\r\n")));
    const error = await errorOf(newBackend(), post(`https://127.0.0.1:${server.port}`));
    expect(error.code).toBe("BACKEND_UNREACHABLE");
    expect(error.message).toContain("TLS");
  });

  it("was not called when the time is up before a connection is made", async () => {
    // Takes the TCP connection and never says a word of TLS.
    const server = await kept(TestServer.startRaw(() => {}));
    const attempt = new AbortController();
    const error = errorOf(newBackend(), post(`https://127.0.0.1:${server.port}`), {}, { signal: attempt.signal });
    await expect.poll(() => server.connections, PATIENCE).toBe(1);
    timeOut(attempt);
    expect(await error).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("5 s") });
  });

  it("was not called when the connect timeout passes", async () => {
    const server = await kept(TestServer.startRaw(() => {}));
    const backend = newBackend({ connectTimeoutMs: 50 });
    const error = await errorOf(backend, post(`https://127.0.0.1:${server.port}`));
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("does not answer") });
  });
});

describe("a backend with all its connections busy", () => {
  it("is not called by those whose time is up in the queue, and serves the rest in order", async () => {
    const release: (() => void)[] = [];
    const server = await kept(TestServer.start((request, response) => release.push(() => response.end(request.body))));
    const backend = newBackend({ connectionsPerOrigin: 1 });
    const tool = post(server.origin);
    const first = textOf(backend, tool, { n: 1 });
    await expect.poll(() => server.seen.length, PATIENCE).toBe(1);
    const attempt = new AbortController();
    const second = errorOf(backend, tool, { n: 2 }, { signal: attempt.signal });
    const third = textOf(backend, tool, { n: 3 });
    timeOut(attempt);
    expect(await second).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("busy") });
    release[0]?.();
    expect((await first).text).toBe('{"n":1}');
    await expect.poll(() => release.length, PATIENCE).toBe(2);
    release[1]?.();
    expect((await third).text).toBe('{"n":3}');
    expect(server.seen.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":3}']);
  });

  it("opens no more connections than it may, and keeps them", async () => {
    const server = await kept(TestServer.start((_request, response) => setImmediate(() => response.end("ok"))));
    const backend = newBackend({ connectionsPerOrigin: 3 });
    const tool = post(server.origin);
    const replies = await Promise.all(Array.from({ length: 50 }, () => textOf(backend, tool)));
    expect(replies).toHaveLength(50);
    expect(server.connections).toBeLessThanOrEqual(3);
    expect(server.connections).toBeGreaterThan(0);
  });

  it("leaves no call behind when it closes", async () => {
    const server = await kept(TestServer.start(() => {}));
    const backend = newBackend({ connectionsPerOrigin: 1 });
    const running = errorOf(backend, post(server.origin), { n: 1 });
    const waiting = errorOf(backend, post(server.origin), { n: 2 });
    await expect.poll(() => server.seen.length, PATIENCE).toBe(1);
    await backend.close();
    expect((await running).code).toBe("OUTCOME_UNKNOWN");
    expect((await waiting).code).toBe("BACKEND_UNREACHABLE");
    await expect.poll(() => server.connections, PATIENCE).toBe(0);
  });
});

describe("a call that was delivered", () => {
  it("is not sent again when a kept connection breaks under it", async () => {
    const bodies: string[] = [];
    const server = await kept(
      TestServer.startRaw((socket, received, count) => {
        bodies.push(received.split("\r\n\r\n")[1] ?? "");
        if (count === 1) socket.write(RESPONSE);
        else socket.destroy();
      }),
    );
    const backend = newBackend({ connectionsPerOrigin: 1 });
    const tool = post(server.origin);
    await textOf(backend, tool, { n: 1 });
    const error = await errorOf(backend, tool, { n: 2 });
    expect(error.code).toBe("OUTCOME_UNKNOWN");
    expect(error.message).toContain("closed the connection before it answered");
    expect(bodies).toEqual(['{"n":1}', '{"n":2}']);
  });

  it("uses a new connection when the backend has closed the kept one", async () => {
    const sockets = new Set<Socket>();
    const server = await kept(
      TestServer.startRaw((socket) => {
        sockets.add(socket);
        socket.write(RESPONSE);
      }),
    );
    const backend = newBackend({ connectionsPerOrigin: 1 });
    const tool = post(server.origin);
    for (let n = 0; n < 5; n += 1) {
      expect((await textOf(backend, tool, { n })).text).toBe("ok");
      const [socket] = [...sockets].slice(-1);
      socket?.end();
      if (socket !== undefined && !socket.closed) await once(socket, "close");
    }
    expect(sockets.size).toBe(5);
  });

  it.each([
    ["half an answer", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", "in the middle"],
    ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP protocol"],
    ["a broken chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "HTTP protocol"],
    ["endless headers", `HTTP/1.1 200 OK\r\n${"x-a: 1\r\n".repeat(9000)}`, "headers"],
    ["nothing", "", "before it answered"],
  ])("has an unknown outcome when the answer is %s", async (_what, bytes, words) => {
    const server = await kept(TestServer.startRaw((socket) => socket.end(bytes)));
    const error = await errorOf(newBackend(), post(server.origin));
    expect(error.code).toBe("OUTCOME_UNKNOWN");
    expect(error.message).toContain(words);
    const idempotent = { ...post(server.origin), annotations: { readOnly: true } };
    expect((await errorOf(newBackend(), idempotent)).code).toBe("BACKEND_TIMEOUT");
  });

  it("says how far it got when its time is up in the middle of an answer", async () => {
    const server = await kept(
      TestServer.startRaw((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf")),
    );
    const attempt = new AbortController();
    const arrived = bodyArrives();
    const error = errorOf(newBackend(), post(server.origin), {}, { signal: attempt.signal, timeoutMs: 250 });
    await arrived;
    timeOut(attempt);
    expect(await error).toMatchObject({ code: "OUTCOME_UNKNOWN", message: expect.stringContaining("finish") });
    expect((await error).message).toContain("250 ms");
    await expect.poll(() => server.connections, PATIENCE).toBe(0);
  });

  it("tells the backend's error even when its body never ends", async () => {
    const server = await kept(
      TestServer.startRaw((socket) => socket.write("HTTP/1.1 500 Oops\r\ncontent-length: 99\r\n\r\nout of stock")),
    );
    const attempt = new AbortController();
    const arrived = bodyArrives();
    const error = errorOf(newBackend(), post(server.origin), {}, { signal: attempt.signal });
    await arrived;
    timeOut(attempt);
    expect((await error).details.backendAnswer).toEqual({ status: "500", body: "out of stock" });
  });

  it("says that the tool may have run when the caller goes away", async () => {
    const server = await kept(TestServer.start(() => {}));
    const attempt = new AbortController();
    const error = errorOf(newBackend(), post(server.origin), {}, { signal: attempt.signal });
    await expect.poll(() => server.seen.length, PATIENCE).toBe(1);
    cancel(attempt);
    expect(await error).toMatchObject({ code: "CANCELLED", message: expect.stringContaining("may have run") });
  });

  it("leaves no listener on the caller's signal", async () => {
    const server = await kept(TestServer.start((_request, response) => response.end("ok")));
    const backend = newBackend();
    const attempt = new AbortController();
    let listeners = 0;
    const { signal } = attempt;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    await backend.invoke(anInvocation(post(server.origin), {}, { signal }));
    expect(listeners).toBe(0);
  });
});
