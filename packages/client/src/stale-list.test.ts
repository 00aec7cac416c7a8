import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { toBinary } from "@bufbuild/protobuf";
import { WatchToolsetsResponseSchema } from "@toolgate/contract";
import { describe, expect, it, onTestFinished } from "vitest";
import { grpcGateway } from "./gateways.fixture.ts";
import { createClient, createToolsetView } from "./index.ts";
import { runToolCalls, toolsFor } from "./models/index.ts";
import { failed } from "./router-client.fixture.ts";
import { message } from "./watch/messages.fixture.ts";

describe("a client whose list is old", () => {
  it("gets one clear answer for a tool that is gone, and so does the model", async () => {
    const { address } = await grpcGateway({
      call: () => failed("TOOL_NOT_FOUND", { class: "argument", nearNames: ["weather.query", "other"] }),
    });
    const client = createClient({ address });
    onTestFinished(() => client.close());
    const result = await client.call("wether.query", {});
    expect(result).toMatchObject({
      status: "error",
      error: { code: "TOOL_NOT_FOUND", nearNames: ["weather.query", "other"] },
    });
    const { names } = toolsFor("anthropic", [
      { name: "weather.query", inputSchema: {} },
      { name: "gone", inputSchema: {} },
    ]);
    const answer = [{ type: "tool_use", id: "t1", name: "gone", input: {} }];
    const { messages } = await runToolCalls(client, "anthropic", answer, { names });
    const [told] = messages[0]?.content ?? [];
    expect(told).toMatchObject({ tool_use_id: "t1", is_error: true });
    // By the names that the model knows, and only those.
    expect(JSON.parse(told?.content ?? "").error).toMatchObject({
      code: "TOOL_NOT_FOUND",
      near_names: ["weather_query"],
    });
  });

  it("has the new one by itself where it keeps a view, also when the gateway was started anew", async () => {
    const first = await grpcGateway({ snapshot: () => ["added a t1 @7", "synced @7"] });
    const client = createClient({ address: first.address });
    onTestFinished(() => client.close());
    const view = createToolsetView(client);
    await view.ready;
    await first.kill();
    expect(view.tool("t1")).toBeDefined();
    await grpcGateway({ port: first.port, epoch: "two", snapshot: () => ["reset @0", "added a t2 @1", "synced @1"] });
    await expect.poll(() => view.tools().map(({ name }) => name)).toEqual(["t2"]);
    expect(view.failure).toBeUndefined();
    view.close();
  });
});

describe("a stream that turns into nonsense", () => {
  it("ends the watch with an error, after what was whole", async () => {
    const server = createServer();
    server.on("session", (session: ServerHttp2Session) => onTestFinished(() => session.destroy()));
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      const bytes = toBinary(WatchToolsetsResponseSchema, message("synced @1"));
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(bytes.length, 1);
      stream.write(Buffer.concat([prefix, bytes, Buffer.from("\0\0\0\0\u0004nonsense")]));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const client = createClient({ address: `127.0.0.1:${(server.address() as AddressInfo).port}` });
    onTestFinished(() => client.close());
    const events = client.watchToolsets();
    expect((await events.next()).value).toMatchObject({ type: "synced" });
    await expect(events.next()).rejects.toMatchObject({ name: "ToolgateClientError", code: "INVALID_RESPONSE" });
  });
});
