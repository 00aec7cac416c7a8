import { readFileSync } from "node:fs";
import type { ServerHttp2Stream } from "node:http2";
import { afterEach, describe, expect, it } from "vitest";
import { answerGrpc, frame, H2Server, type Serve } from "../../test/h2-server.ts";
import { deadPort, TestServer } from "../../test/http-server.ts";
import { type ChannelSettings, GrpcChannel, NO_METADATA, type UnaryEnd, type UnaryRequest } from "./index.ts";

const PATIENCE = { timeout: 5_000 };
const LIMIT = 1_009;
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

function newChannel(address: string, settings: ChannelSettings & { readonly tls?: boolean } = {}): GrpcChannel {
  const { tls = false, ...rest } = settings;
  const channel = new GrpcChannel({ address, tls, receiveLimit: LIMIT }, rest);
  undo.push(() => channel.close());
  return channel;
}

async function newServer(serve: Serve, options: Parameters<typeof H2Server.start>[1] = {}): Promise<H2Server> {
  const server = await H2Server.start(serve, options);
  undo.push(() => server.stop());
  return server;
}

function call(channel: GrpcChannel, changes: Partial<UnaryRequest> = {}): Promise<UnaryEnd> {
  return channel.call({
    path: "/test.Echo/Call",
    message: Buffer.from("hello"),
    metadata: NO_METADATA,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...changes,
  });
}

const fine = (stream: ServerHttp2Stream) => answerGrpc(stream, [Buffer.from("fine")]);
const FINE = { kind: "answered", message: Buffer.from("fine") };
const secrets = {
  key: readFileSync(new URL("../../test/fixtures/localhost-key.pem", import.meta.url)),
  cert: readFileSync(new URL("../../test/fixtures/localhost-cert.pem", import.meta.url)),
};

describe("a call that found no connection was not delivered", () => {
  it("because nobody listens", async () => {
    const channel = newChannel(`127.0.0.1:${await deadPort()}`);
    expect(await call(channel)).toMatchObject({ kind: "undelivered", words: "connection refused" });
  });

  it("because the name is unknown", async () => {
    const channel = newChannel("no-such-host.invalid:50051");
    expect(await call(channel)).toMatchObject({ kind: "undelivered", words: "its name cannot be resolved" });
  });

  it("because the server speaks HTTP/1.1", async () => {
    const server = await TestServer.start((_request, response) => response.end("ok"));
    undo.push(() => server.stop());
    const end = await call(newChannel(`127.0.0.1:${server.port}`));
    expect(end).toMatchObject({ kind: "undelivered", words: expect.stringContaining("HTTP/2") });
  });

  it("because the server says nothing in time", async () => {
    const server = await TestServer.startRaw(() => {});
    undo.push(() => server.stop());
    const channel = newChannel(`127.0.0.1:${server.port}`, { connectTimeoutMs: 50 });
    expect(await call(channel)).toMatchObject({ kind: "undelivered", words: "it does not answer" });
    await expect.poll(() => server.connections, PATIENCE).toBe(0);
  });

  it("because the time was up first, or the caller went away", async () => {
    const server = await TestServer.startRaw(() => {});
    undo.push(() => server.stop());
    const channel = newChannel(`127.0.0.1:${server.port}`);
    expect(await call(channel, { timeoutMs: 30 })).toEqual({ kind: "late", delivered: false });
    const attempt = new AbortController();
    const end = call(channel, { signal: attempt.signal });
    attempt.abort();
    expect(await end).toEqual({ kind: "cancelled", delivered: false });
  });

  it("because of its certificate, also when the name is that of another", async () => {
    const server = await newServer(fine, secrets);
    const end = await call(newChannel(`localhost:${server.port}`, { tls: true }));
    expect(end).toMatchObject({ kind: "undelivered", words: expect.stringContaining("certificate") });
    const trusted = { tls: true, ca: secrets.cert.toString() };
    const named = await call(newChannel(`localhost:${server.port}`, trusted));
    expect(named).toEqual(FINE);
    expect(await call(newChannel(`127.0.0.2:${server.port}`, trusted))).toMatchObject({ kind: "undelivered" });
    expect(server.taken).toBe(1);
  });

  it("because one side speaks TLS and the other does not", async () => {
    const secret = await newServer(fine, secrets);
    expect(await call(newChannel(secret.address))).toMatchObject({ kind: "undelivered" });
    const plain = await newServer(fine);
    const end = await call(newChannel(plain.address, { tls: true }));

    expect(end).toMatchObject({ kind: "undelivered", words: expect.stringContaining("TLS") });
    expect([secret.taken, plain.taken]).toEqual([0, 0]);
  });

  it("because the signal had aborted before", async () => {
    const server = await newServer(fine);
    expect(await call(newChannel(server.address), { signal: AbortSignal.abort() })).toMatchObject({
      kind: "cancelled",
      delivered: false,
    });
    expect(server.taken).toBe(0);
  });
});

describe("a call that a live server refused unread", () => {
  it("is made once more, and not a third time", async () => {
    const once: H2Server = await newServer((stream) => (once.taken === 1 ? stream.close(7) : fine(stream)));
    expect(await call(newChannel(once.address))).toEqual(FINE);
    const always = await newServer((stream) => stream.close(7));
    expect(await call(newChannel(always.address))).toMatchObject({ kind: "undelivered", refused: true });
    expect(always.taken).toBe(2);
  });

  it("is taken at its word by HTTP/2 alone, not by the text of a status", async () => {
    const server = await newServer((stream) =>
      answerGrpc(stream, [], { "grpc-status": "14", "grpc-message": "Stream refused by server" }),
    );
    expect(await call(newChannel(server.address))).toMatchObject({ kind: "status", status: { name: "UNAVAILABLE" } });
    const short = await newServer((stream) =>
      stream.respond(
        {
          ":status": 200,
          "content-type": "application/grpc",
          "grpc-status": "14",
          "grpc-message": "Stream refused by server",
        },
        { endStream: true },
      ),
    );
    expect(await call(newChannel(short.address))).toMatchObject({ kind: "status", status: { name: "UNAVAILABLE" } });
    expect([server.taken, short.taken]).toEqual([1, 1]);
  });

  it("finds the next connection after a GOAWAY on an idle one: grpc-08 (connectrpc/connect-es#1768)", async () => {
    const server = await newServer((stream) => {
      fine(stream);
      stream.on("close", () => stream.session?.goaway(0));
    });
    const channel = newChannel(server.address);
    for (let n = 0; n < 5; n += 1) expect(await call(channel)).toEqual(FINE);
    expect(server.taken).toBe(5);
  });
});

describe("a call whose answer is lost", () => {
  const received = (act: Serve): Serve => {
    return (stream, headers) => void stream.once("data", () => act(stream, headers));
  };
  const half = Buffer.from([0, 0, 0, 0, 9, 1, 2]);

  it.each<[string, Serve, string]>([
    ["the connection breaks", received((stream) => stream.session?.socket.destroy()), "before it answered"],
    ["the session is ended", received((stream) => stream.session?.destroy()), "before it answered"],
    ["the stream is cancelled", received((stream) => stream.close(8)), "cancelled the call"],
    ["the stream is reset", received((stream) => stream.close(2)), "broke the call off"],
    ["the stream just ends", received((stream) => stream.close(0)), "without a status"],
    [
      "headers are all there is",
      (stream) => stream.respond({ ":status": 200 }, { endStream: true }),
      "without a status",
    ],
    ["there is no message", (stream) => answerGrpc(stream, []), "without a message"],
    [
      "half a message is all there is",
      (stream) => {
        stream.respond(grpcHeaders());
        stream.end(half);
      },
      "without",
    ],
    ["there are two messages", (stream) => answerGrpc(stream, [half, half]), "several answers"],
    [
      "it breaks off in the middle",
      (stream) => {
        stream.respond(grpcHeaders());
        stream.write(frame(Buffer.alloc(500)).subarray(0, 100), () => stream.session?.socket.destroy());
      },
      "middle",
    ],
  ])("because %s", async (_what, serve, words) => {
    const server = await newServer(serve);
    const end = await call(newChannel(server.address));
    expect(end).toMatchObject({ kind: "lost", words: expect.stringContaining(words) });
    expect(server.taken).toBe(1);
  });

  it("because the time was up", async () => {
    const server = await newServer(() => {});
    expect(await call(newChannel(server.address), { timeoutMs: 50 })).toEqual({ kind: "late", delivered: true });
  });

  it("because the channel is closed", async () => {
    const server = await newServer(() => {});
    const channel = newChannel(server.address);
    const end = call(channel);
    await expect.poll(() => server.taken, PATIENCE).toBe(1);
    expect(channel.calls).toBe(1);
    channel.close();
    expect(await end).toEqual({ kind: "closed", delivered: true });
    expect(await call(channel)).toEqual({ kind: "closed", delivered: false });
    await expect.poll(() => server.connections, PATIENCE).toBe(0);
  });
});

function grpcHeaders() {
  return { ":status": 200, "content-type": "application/grpc" };
}

describe("an answer", () => {
  it.each([404, 502, 503])(
    "grpc-02 (grpc/grpc-node#2809): of a proxy is told by its HTTP status %i",
    async (status) => {
      const server = await newServer((stream) => {
        stream.respond({ ":status": status, "content-type": "text/html" });
        stream.end("<html>not here</html>");
      });
      const end = await call(newChannel(server.address));
      expect(end).toMatchObject({ kind: "not-grpc", httpStatus: status, mediaType: "text/html" });
    },
  );

  it("that is a page with status 200 is not taken for a message that is too large", async () => {
    const server = await newServer((stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end("<html>please log in</html>");
    });
    expect(await call(newChannel(server.address))).toMatchObject({ kind: "not-grpc", httpStatus: 200 });
  });

  it("that is a status comes with its details and metadata", async () => {
    const trailers = { "grpc-status": "5", "grpc-message": "no%20such%20thing", "x-more": "1" };
    const server = await newServer((stream) => answerGrpc(stream, [], trailers));
    const end = await call(newChannel(server.address));
    expect(end).toMatchObject({ kind: "status", status: { name: "NOT_FOUND", details: "no such thing" } });
    expect(end.kind === "status" && end.status.metadata.get("x-more")).toEqual(["1"]);
  });

  it("with a status that gRPC does not know is UNKNOWN", async () => {
    const server = await newServer((stream) => answerGrpc(stream, [], { "grpc-status": "99" }));
    expect(await call(newChannel(server.address))).toMatchObject({ status: { name: "UNKNOWN" } });
  });

  it("is refused beyond the channel's limit, and taken up to it", async () => {
    const small = await newServer((stream) => answerGrpc(stream, [Buffer.alloc(LIMIT)]));
    expect((await call(newChannel(small.address))).kind).toBe("answered");
    const large = await newServer((stream) => answerGrpc(stream, [Buffer.alloc(LIMIT + 1)]));
    expect(await call(newChannel(large.address))).toEqual({ kind: "too-large" });
  });

  it("that the server's own limit was passed is a status, not a large answer", async () => {
    const trailers = { "grpc-status": "8", "grpc-message": "Received message larger than max (5 vs 4)" };
    const server = await newServer((stream) => answerGrpc(stream, [], trailers));
    expect(await call(newChannel(server.address))).toMatchObject({ status: { name: "RESOURCE_EXHAUSTED" } });
  });

  it("DEADLINE_EXCEEDED before the time is up is the server's own", async () => {
    const server = await newServer((stream) => answerGrpc(stream, [], { "grpc-status": "4" }));
    expect(await call(newChannel(server.address))).toMatchObject({ status: { name: "DEADLINE_EXCEEDED" } });
  });
});

describe("a channel", () => {
  it("tells the server the deadline, the metadata and who calls", async () => {
    let headers: Record<string, unknown> = {};
    const server = await newServer((stream, given) => {
      headers = given;
      fine(stream);
    });
    const metadata = NO_METADATA.clone();
    metadata.set("x-key", "value");
    await call(newChannel(server.address), { metadata, timeoutMs: 5_000 });
    expect(headers).toMatchObject({ "x-key": "value", "user-agent": expect.stringContaining("toolgate") });
    expect(String(headers["grpc-timeout"])).toMatch(/^(5000|49\d\d)m$|^5S$/);
  });

  it("keeps one connection for calls at the same time", async () => {
    const server = await newServer((stream) => setImmediate(() => fine(stream)));
    const channel = newChannel(server.address);
    const ends = await Promise.all(Array.from({ length: 50 }, () => call(channel)));
    expect(ends).toEqual(ends.map(() => FINE));
    expect(server.connections).toBe(1);
    expect(channel.calls).toBe(0);
  });

  it("tries again at once when the server is back", async () => {
    const port = await deadPort();
    const channel = newChannel(`127.0.0.1:${port}`);
    expect((await call(channel)).kind).toBe("undelivered");
    const server = await newServer(fine, { port });
    expect(await call(channel)).toEqual(FINE);
    expect(server.taken).toBe(1);
  });

  it("takes another connection after one over which a whole call heard nothing", async () => {
    const mutes = new Set<unknown>();
    const server = await newServer((stream) => {
      if (mutes.size === 0) mutes.add(stream.session);
      if (!mutes.has(stream.session)) fine(stream);
    });
    const channel = newChannel(server.address);
    expect(await call(channel, { timeoutMs: 50 })).toEqual({ kind: "late", delivered: true });
    expect(await call(channel)).toEqual(FINE);
  });

  it("connects ahead of calls, and says whether it could", async () => {
    const server = await newServer(fine);
    const channel = newChannel(server.address);
    expect(await channel.connect()).toBe(true);
    expect([server.connections, server.taken]).toEqual([1, 0]);
    expect(await newChannel(`127.0.0.1:${await deadPort()}`).connect()).toBe(false);
    const mute = await TestServer.startRaw(() => {});
    undo.push(() => mute.stop());
    expect(await newChannel(`127.0.0.1:${mute.port}`, { connectTimeoutMs: 50 }).connect()).toBe(false);
  });

  it("leaves no listener on the caller's signal", async () => {
    const server = await newServer(fine);
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    await call(newChannel(server.address), { signal });
    expect(listeners).toBe(0);
  });
});
