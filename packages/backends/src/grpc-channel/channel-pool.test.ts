import { promises as dns } from "node:dns";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answerGrpc, H2Server } from "../../test/h2-server.ts";
import { deadPort } from "../../test/http-server.ts";
import { ChannelPool, type GrpcChannel, NO_METADATA, receiveLimitFor } from "./index.ts";

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

function newPool(now?: () => number): ChannelPool {
  const pool = new ChannelPool(now === undefined ? {} : { now });
  undo.push(() => pool.close());
  return pool;
}

const target = (address: string) => ({ address, tls: false, receiveLimit: receiveLimitFor(1) });

async function newServer(options: Parameters<typeof H2Server.start>[1] = {}): Promise<H2Server> {
  const server = await H2Server.start((stream) => answerGrpc(stream, [Buffer.from("fine")]), options);
  undo.push(() => server.stop());
  return server;
}

const call = (channel: GrpcChannel) =>
  channel.call({
    path: "/test.Echo/Call",
    message: Buffer.from("hello"),
    metadata: NO_METADATA,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
  });

describe("a pool of channels", () => {
  it("has one for each address and limit", () => {
    const pool = newPool();
    const one = pool.for(target("127.0.0.1:1"));
    expect(pool.for(target("127.0.0.1:1"))).toBe(one);
    expect(pool.for(target("127.0.0.1:2"))).not.toBe(one);
    expect(pool.for({ ...target("127.0.0.1:1"), tls: true })).not.toBe(one);
    expect(pool.for({ ...target("127.0.0.1:1"), receiveLimit: receiveLimitFor(1_000_000) })).toBe(one);
    expect(pool.for({ ...target("127.0.0.1:1"), receiveLimit: receiveLimitFor(10_000_000) })).not.toBe(one);
  });

  it("gives up those that had no call for long, and makes them again", async () => {
    let now = 0;
    const pool = newPool(() => now);
    const server = await newServer();
    expect((await call(pool.for(target(server.address)))).kind).toBe("answered");
    for (let n = 0; n < 20; n += 1) {
      now += 60_001;
      pool.for(target(`127.0.0.1:${60_000 + n}`));
    }
    expect(pool.size).toBeLessThan(15);
    await expect.poll(() => server.connections, { timeout: 5_000 }).toBe(0);
    expect((await call(pool.for(target(server.address)))).kind).toBe("answered");
  });

  it("hands out closed channels once it is closed", async () => {
    const pool = newPool();
    pool.close();
    expect(await call(pool.for(target("127.0.0.1:1")))).toEqual({ kind: "closed", delivered: false });
  });

  it("grpc-09 (grpc/grpc-node#2847): finds a name's new address on the next call after the old one refuses", async () => {
    const port = await deadPort();
    const old = await H2Server.start((stream) => answerGrpc(stream, []), { port });
    await newServer({ port, host: "127.0.0.2" });
    let address = "127.0.0.1";
    const lookup = vi.spyOn(dns, "lookup").mockImplementation((async () => [{ address, family: 4 }]) as never);
    undo.push(() => lookup.mockRestore());
    const channel = newPool().for(target(`moving.test:${port}`));
    expect((await call(channel)).kind).toBe("lost");
    await old.stop();
    address = "127.0.0.2";
    await expect.poll(async () => (await call(channel)).kind, { timeout: 5_000, interval: 10 }).toBe("answered");
  });
});

describe("the limit of a channel", () => {
  it("is never less than the tool's, and no limit that a server would have", () => {
    for (const maxBytes of [0, 1, 4 * 1024 * 1024, 5_000_000, 64 * 1024 * 1024, 100_000_001]) {
      expect(receiveLimitFor(maxBytes)).toBeGreaterThan(maxBytes);
      expect(receiveLimitFor(maxBytes) % 1024).not.toBe(0);
    }
  });
});
