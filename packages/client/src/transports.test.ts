import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import { grpcGateway, type SmallGateway, type SmallGatewayOptions, webGateway } from "./gateways.fixture.ts";
import { createGrpcJsTransport } from "./grpc-js/index.ts";
import { type CommonOptions, createClient, type ToolgateClient, type ToolsetEvent } from "./index.ts";
import { wordsOf } from "./watch/messages.fixture.ts";
import { createWebClient } from "./web.ts";

interface Way {
  readonly name: string;
  readonly gateway: (options?: SmallGatewayOptions) => Promise<SmallGateway>;
  readonly client: (address: string, options: CommonOptions) => ToolgateClient;
}

const WAYS: readonly Way[] = [
  {
    name: "gRPC by Connect",
    gateway: grpcGateway,
    client: (address, options) => createClient({ ...options, address }),
  },
  {
    name: "gRPC by grpc-js",
    gateway: grpcGateway,
    client: (address, options) => createClient({ ...options, transport: createGrpcJsTransport(address) }),
  },
  {
    name: "Connect by fetch",
    gateway: webGateway,
    client: (address, options) => createWebClient({ ...options, baseUrl: `http://${address}` }),
  },
  {
    name: "gRPC-Web by fetch",
    gateway: webGateway,
    client: (address, options) => createWebClient({ ...options, baseUrl: `http://${address}`, protocol: "grpc-web" }),
  },
];

describe.each(WAYS)("$name", ({ gateway, client: clientAt }) => {
  function open(address: string, options: CommonOptions = {}): ToolgateClient {
    const client = clientAt(address, { defaultTimeoutMs: 10_000, ...options });
    onTestFinished(() => client.close());
    return client;
  }

  /** Reads so many events. */
  async function read(events: AsyncGenerator<ToolsetEvent>, count: number): Promise<string[]> {
    const words: string[] = [];
    while (words.length < count) {
      const { value, done } = await events.next();
      if (done === true) return [...words, "end"];
      words.push(wordsOf(value));
    }
    return words;
  }

  it("calls, with its key", async () => {
    const { address, headers } = await gateway({ call: (tool) => JSON.stringify({ tool, at: "é" }) });
    const client = open(address, { apiKey: "tg_key" });
    expect(await client.call("weather", { city: "Oslo" })).toMatchObject({ data: { tool: "weather", at: "é" } });
    expect(headers[0]?.get("authorization")).toBe("Bearer tg_key");
  });

  it("cancels a call in the gateway too", async () => {
    const [controller, gone] = [new AbortController(), Promise.withResolvers<void>()];
    const { address } = await gateway({
      call: (_tool, { signal }) => {
        signal.addEventListener("abort", () => gone.resolve());
        controller.abort();
        return new Promise(() => {});
      },
    });
    const error = await failureOf(open(address).call("t", {}, { signal: controller.signal }));
    expect(error).toMatchObject({ code: "CANCELLED", mayHaveRun: true });
    await gone.promise;
  });

  it("gives up at the deadline, which the gateway knows", async () => {
    const told = Promise.withResolvers<number | undefined>();
    const { address } = await gateway({
      call: (_tool, context) => {
        told.resolve(context.timeoutMs());
        return new Promise(() => {});
      },
    });
    const error = await failureOf(open(address).call("t", {}, { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: "DEADLINE_EXCEEDED", mayHaveRun: true });
    const left = await told.promise;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(300);
  });

  it("watches", async () => {
    const { address, say, watches } = await gateway({ snapshot: () => ["added a t1 @2", "synced @2"] });
    const events = open(address).watchToolsets({ toolsets: ["a"], heartbeatMs: 1_000 });
    expect(await read(events, 2)).toEqual(["added a t1 @2", "synced @2"]);
    say("heartbeat @2", "changed a t2 @3");
    expect(await read(events, 1)).toEqual(["changed a t2 @3"]);
    expect(watches[0]).toMatchObject({ toolsets: ["a"], heartbeatInterval: { seconds: 1n } });
  });

  it("watches on when the gateway is started anew, and calls again", async () => {
    const first = await gateway({ snapshot: () => ["added a t1 @7", "synced @7"] });
    const lost: string[] = [];
    const client = open(first.address);
    const events = client.watchToolsets({ onDisconnect: ({ code }) => lost.push(code) });
    expect(await read(events, 2)).toEqual(["added a t1 @7", "synced @7"]);
    const next = read(events, 3);
    await first.kill();
    const snapshot = () => ["reset @0", "added b t2 @1", "synced @1"];
    const second = await gateway({ port: first.port, epoch: "two", snapshot });
    expect(await next).toEqual(snapshot());
    expect(second.watches[0]).toMatchObject({ fromGeneration: "7", epoch: "one" });
    expect(new Set(lost)).toEqual(new Set(["UNAVAILABLE"]));
    await expect
      .poll(() =>
        client.call("t").then(
          ({ status }) => status,
          () => "failed",
        ),
      )
      .toBe("success");
  });

  it("ends a watch by its signal, and by close, and in the gateway too", async () => {
    const { address, watches } = await gateway();
    const [controller, client] = [new AbortController(), open(address)];
    const [one, other] = [client.watchToolsets({ signal: controller.signal }), client.watchToolsets()];
    expect(await Promise.all([read(one, 1), read(other, 1)])).toEqual([["synced @1"], ["synced @1"]]);
    const [end, otherEnd] = [read(one, 1), read(other, 1)];
    controller.abort();
    expect(await end).toEqual(["end"]);
    client.close();
    expect(await otherEnd).toEqual(["end"]);
    expect(watches).toHaveLength(2);
  });

  it("says that there is no gateway", async () => {
    const { address, kill } = await gateway();
    await kill();
    const client = open(address);
    const unreachable = {
      code: "UNAVAILABLE",
      message: `Cannot reach a gateway at ${address}: connection refused. Is it running?`,
    };
    expect(await failureOf(client.call("t"))).toMatchObject({ ...unreachable, mayHaveRun: false });
    expect(await failureOf(client.watchToolsets().next())).toMatchObject(unreachable);
  });

  it("says that nobody knows what ran where the gateway dies during a call", async () => {
    const { address, kill } = await gateway({
      call: () => {
        void kill();
        return new Promise(() => {});
      },
    });
    const error = await failureOf(open(address).call("t"));
    expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: true });
    expect(error.message).toContain("was lost before the answer came");
  });

  it("reads a big answer and refuses to send what is not UTF-8", async () => {
    const { address } = await gateway({ call: () => JSON.stringify("x".repeat(5_000_000)) });
    const client = open(address);
    const result = await client.call<string>("t");
    expect(result.status === "success" && result.data.length).toBe(5_000_000);
    expect(await failureOf(client.call("t", '{"a":"\ud800"}'))).toMatchObject({
      code: "INVALID_ARGUMENT",
      mayHaveRun: false,
    });
  });

  it("refuses a heartbeat that is none", async () => {
    const client = open("127.0.0.1:1");
    expect(() => client.watchToolsets({ heartbeatMs: 10 })).toThrow(
      "heartbeatMs must be a whole number from 1000 to 300000",
    );
  });
});
