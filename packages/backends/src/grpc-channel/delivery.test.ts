import { describe, expect, it } from "vitest";
import { call, FINE, fine, GRPC_HEADERS, Opened, SECRETS } from "../../test/channel-calls.ts";
import { answerGrpc, frame, type H2Server, type Serve } from "../../test/h2-server.ts";
import { deadPort, TestServer } from "../../test/http-server.ts";

const PATIENCE = { timeout: 5_000 };
const opened = new Opened();

describe("a call that found no connection was not delivered", () => {
  it("because nobody listens", async () => {
    const channel = opened.channel(`127.0.0.1:${await deadPort()}`);
    expect(await call(channel)).toMatchObject({ kind: "undelivered", words: "connection refused" });
  });

  it("because the name is unknown", async () => {
    const channel = opened.channel("no-such-host.invalid:50051");
    expect(await call(channel)).toMatchObject({ kind: "undelivered", words: "its name cannot be resolved" });
  });

  it("because the server speaks HTTP/1.1", async () => {
    const server = await TestServer.start((_request, response) => response.end("ok"));
    opened.until(() => server.stop());
    const end = await call(opened.channel(`127.0.0.1:${server.port}`));
    expect(end).toMatchObject({ kind: "undelivered", words: expect.stringContaining("HTTP/2") });
  });

  it("because the server says nothing in time", async () => {
    const server = await TestServer.startRaw(() => {});
    opened.until(() => server.stop());
    const channel = opened.channel(`127.0.0.1:${server.port}`, { connectTimeoutMs: 50 });
    expect(await call(channel)).toMatchObject({ kind: "undelivered", words: "it does not answer" });
    await expect.poll(() => server.connections, PATIENCE).toBe(0);
  });

  it("because the time was up first, or the caller went away", async () => {
    const server = await TestServer.startRaw(() => {});
    opened.until(() => server.stop());
    const channel = opened.channel(`127.0.0.1:${server.port}`);
    expect(await call(channel, { timeoutMs: 30 })).toEqual({ kind: "late", delivered: false });
    const attempt = new AbortController();
    const end = call(channel, { signal: attempt.signal });
    attempt.abort();
    expect(await end).toEqual({ kind: "cancelled", delivered: false });
  });

  it("because of its certificate, also when the name is that of another", async () => {
    const server = await opened.server(fine, SECRETS);
    const end = await call(opened.channel(`localhost:${server.port}`, { tls: true }));
    expect(end).toMatchObject({ kind: "undelivered", words: expect.stringContaining("certificate") });
    const trusted = { tls: true, ca: SECRETS.cert.toString() };
    const named = await call(opened.channel(`localhost:${server.port}`, trusted));
    expect(named).toEqual(FINE);
    expect(await call(opened.channel(`127.0.0.2:${server.port}`, trusted))).toMatchObject({ kind: "undelivered" });
    expect(server.taken).toBe(1);
  });

  it("because one side speaks TLS and the other does not", async () => {
    const secret = await opened.server(fine, SECRETS);
    expect(await call(opened.channel(secret.address))).toMatchObject({ kind: "undelivered" });
    const plain = await opened.server(fine);
    const end = await call(opened.channel(plain.address, { tls: true }));

    expect(end).toMatchObject({ kind: "undelivered", words: expect.stringContaining("TLS") });
    expect([secret.taken, plain.taken]).toEqual([0, 0]);
  });

  it("because the signal had aborted before", async () => {
    const server = await opened.server(fine);
    expect(await call(opened.channel(server.address), { signal: AbortSignal.abort() })).toMatchObject({
      kind: "cancelled",
      delivered: false,
    });
    expect(server.taken).toBe(0);
  });
});

describe("a call that a live server refused unread", () => {
  it("is made once more, and not a third time", async () => {
    const once: H2Server = await opened.server((stream) => (once.taken === 1 ? stream.close(7) : fine(stream)));
    expect(await call(opened.channel(once.address))).toEqual(FINE);
    const always = await opened.server((stream) => stream.close(7));
    expect(await call(opened.channel(always.address))).toMatchObject({ kind: "undelivered", refused: true });
    expect(always.taken).toBe(2);
  });

  it("is taken at its word by HTTP/2 alone, not by the text of a status", async () => {
    const server = await opened.server((stream) =>
      answerGrpc(stream, [], { "grpc-status": "14", "grpc-message": "Stream refused by server" }),
    );
    expect(await call(opened.channel(server.address))).toMatchObject({
      kind: "status",
      status: { name: "UNAVAILABLE" },
    });
    const short = await opened.server((stream) =>
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
    expect(await call(opened.channel(short.address))).toMatchObject({
      kind: "status",
      status: { name: "UNAVAILABLE" },
    });
    expect([server.taken, short.taken]).toEqual([1, 1]);
  });

  it("finds the next connection after a GOAWAY on an idle one: grpc-08 (connectrpc/connect-es#1768)", async () => {
    const server = await opened.server((stream) => {
      fine(stream);
      stream.on("close", () => stream.session?.goaway(0));
    });
    const channel = opened.channel(server.address);
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
        stream.respond(GRPC_HEADERS);
        stream.end(half);
      },
      "without",
    ],
    ["there are two messages", (stream) => answerGrpc(stream, [half, half]), "several answers"],
    [
      "it breaks off in the middle",
      (stream) => {
        stream.respond(GRPC_HEADERS);
        stream.write(frame(Buffer.alloc(500)).subarray(0, 100), () => stream.session?.socket.destroy());
      },
      "middle",
    ],
  ])("because %s", async (_what, serve, words) => {
    const server = await opened.server(serve);
    const end = await call(opened.channel(server.address));
    expect(end).toMatchObject({ kind: "lost", words: expect.stringContaining(words) });
    expect(server.taken).toBe(1);
  });

  it("because the time was up", async () => {
    const server = await opened.server(() => {});
    expect(await call(opened.channel(server.address), { timeoutMs: 50 })).toEqual({ kind: "late", delivered: true });
  });

  it("because the channel is closed", async () => {
    const server = await opened.server(() => {});
    const channel = opened.channel(server.address);
    const end = call(channel);
    await expect.poll(() => server.taken, PATIENCE).toBe(1);
    expect(channel.calls).toBe(1);
    channel.close();
    expect(await end).toEqual({ kind: "closed", delivered: true });
    expect(await call(channel)).toEqual({ kind: "closed", delivered: false });
    await expect.poll(() => server.connections, PATIENCE).toBe(0);
  });
});
