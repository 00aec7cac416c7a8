import { describe, expect, it } from "vitest";
import { call, FINE, fine, LIMIT, Opened } from "../../test/channel-calls.ts";
import { answerGrpc } from "../../test/h2-server.ts";
import { deadPort, TestServer } from "../../test/http-server.ts";
import { NO_METADATA } from "./index.ts";

const opened = new Opened();

describe("an answer", () => {
  it.each([404, 502, 503])(
    "grpc-02 (grpc/grpc-node#2809): of a proxy is told by its HTTP status %i",
    async (status) => {
      const server = await opened.server((stream) => {
        stream.respond({ ":status": status, "content-type": "text/html" });
        stream.end("<html>not here</html>");
      });
      const end = await call(opened.channel(server.address));
      expect(end).toMatchObject({ kind: "not-grpc", httpStatus: status, mediaType: "text/html" });
    },
  );

  it("that is a page with status 200 is not taken for a message that is too large", async () => {
    const server = await opened.server((stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end("<html>please log in</html>");
    });
    expect(await call(opened.channel(server.address))).toMatchObject({ kind: "not-grpc", httpStatus: 200 });
  });

  it("that is a status comes with its details and metadata", async () => {
    const trailers = { "grpc-status": "5", "grpc-message": "no%20such%20thing", "x-more": "1" };
    const server = await opened.server((stream) => answerGrpc(stream, [], trailers));
    const end = await call(opened.channel(server.address));
    expect(end).toMatchObject({ kind: "status", status: { name: "NOT_FOUND", details: "no such thing" } });
    expect(end.kind === "status" && end.status.metadata.get("x-more")).toEqual(["1"]);
  });

  it("with a status that gRPC does not know is UNKNOWN", async () => {
    const server = await opened.server((stream) => answerGrpc(stream, [], { "grpc-status": "99" }));
    expect(await call(opened.channel(server.address))).toMatchObject({ status: { name: "UNKNOWN" } });
  });

  it("is refused beyond the channel's limit, and taken up to it", async () => {
    const small = await opened.server((stream) => answerGrpc(stream, [Buffer.alloc(LIMIT)]));
    expect((await call(opened.channel(small.address))).kind).toBe("answered");
    const large = await opened.server((stream) => answerGrpc(stream, [Buffer.alloc(LIMIT + 1)]));
    expect(await call(opened.channel(large.address))).toEqual({ kind: "too-large" });
  });

  it("that the server's own limit was passed is a status, not a large answer", async () => {
    const trailers = { "grpc-status": "8", "grpc-message": "Received message larger than max (5 vs 4)" };
    const server = await opened.server((stream) => answerGrpc(stream, [], trailers));
    expect(await call(opened.channel(server.address))).toMatchObject({ status: { name: "RESOURCE_EXHAUSTED" } });
  });

  it("DEADLINE_EXCEEDED before the time is up is the server's own", async () => {
    const server = await opened.server((stream) => answerGrpc(stream, [], { "grpc-status": "4" }));
    expect(await call(opened.channel(server.address))).toMatchObject({ status: { name: "DEADLINE_EXCEEDED" } });
  });
});

describe("a channel", () => {
  it("tells the server the deadline, the metadata and who calls", async () => {
    let headers: Record<string, unknown> = {};
    const server = await opened.server((stream, given) => {
      headers = given;
      fine(stream);
    });
    const metadata = NO_METADATA.clone();
    metadata.set("x-key", "value");
    await call(opened.channel(server.address), { metadata, timeoutMs: 5_000 });
    expect(headers).toMatchObject({ "x-key": "value", "user-agent": expect.stringContaining("toolgate") });
    expect(String(headers["grpc-timeout"])).toMatch(/^(5000|49\d\d)m$|^5S$/);
  });

  it("keeps one connection for calls at the same time", async () => {
    const server = await opened.server((stream) => setImmediate(() => fine(stream)));
    const channel = opened.channel(server.address);
    const ends = await Promise.all(Array.from({ length: 50 }, () => call(channel)));
    expect(ends).toEqual(ends.map(() => FINE));
    expect(server.connections).toBe(1);
    expect(channel.calls).toBe(0);
  });

  it("tries again at once when the server is back", async () => {
    const port = await deadPort();
    const channel = opened.channel(`127.0.0.1:${port}`);
    expect((await call(channel)).kind).toBe("undelivered");
    const server = await opened.server(fine, { port });
    expect(await call(channel)).toEqual(FINE);
    expect(server.taken).toBe(1);
  });

  it("takes another connection after one over which a whole call heard nothing", async () => {
    const mutes = new Set<unknown>();
    const server = await opened.server((stream) => {
      if (mutes.size === 0) mutes.add(stream.session);
      if (!mutes.has(stream.session)) fine(stream);
    });
    const channel = opened.channel(server.address);
    expect(await call(channel, { timeoutMs: 50 })).toEqual({ kind: "late", delivered: true });
    expect(await call(channel)).toEqual(FINE);
  });

  it("connects ahead of calls, and says whether it could", async () => {
    const server = await opened.server(fine);
    const channel = opened.channel(server.address);
    expect(await channel.connect()).toBe(true);
    expect([server.connections, server.taken]).toEqual([1, 0]);
    expect(await opened.channel(`127.0.0.1:${await deadPort()}`).connect()).toBe(false);
    const mute = await TestServer.startRaw(() => {});
    opened.until(() => mute.stop());
    expect(await opened.channel(`127.0.0.1:${mute.port}`, { connectTimeoutMs: 50 }).connect()).toBe(false);
  });

  it("leaves no listener on the caller's signal", async () => {
    const server = await opened.server(fine);
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
    await call(opened.channel(server.address), { signal });
    expect(listeners).toBe(0);
  });
});

describe("the address guard", () => {
  const WORDS = "it leads to an address that this gateway may not connect to";

  it.each(["127.0.0.1", "localhost", "2130706433", "[::ffff:7f00:1]"])(
    "security-03 (modelcontextprotocol/servers#4838): sees every connection before a byte is sent, also to %s",
    async (host) => {
      const server = await opened.server((stream) => fine(stream));
      const asked: string[] = [];
      const allowAddress = (ip: string) => {
        asked.push(ip);
        return false;
      };
      const port = server.address.split(":")[1];
      const end = await call(opened.channel(`${host}:${port}`, { allowAddress }));
      expect(end).toMatchObject({ kind: "undelivered", words: WORDS });
      expect(server.taken).toBe(0);
      expect(asked).toContain("127.0.0.1");
    },
  );

  it("lets a call through to an address that is allowed", async () => {
    const server = await opened.server((stream) => fine(stream));
    const channel = opened.channel(server.address, { allowAddress: (ip) => ip === "127.0.0.1" });
    expect(await call(channel)).toMatchObject({ kind: "answered" });
  });
});
