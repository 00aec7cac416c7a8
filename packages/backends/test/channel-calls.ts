import { readFileSync } from "node:fs";
import type { ServerHttp2Stream } from "node:http2";
import { afterEach } from "vitest";
import {
  type ChannelSettings,
  GrpcChannel,
  NO_METADATA,
  type UnaryEnd,
  type UnaryRequest,
} from "../src/grpc-channel/index.ts";
import { answerGrpc, H2Server, type Serve } from "./h2-server.ts";

/** The most bytes that the channels of these tests take. */
export const LIMIT = 1_009;

/** What was opened in a test and ends with it. */
export class Opened {
  readonly #undo: (() => unknown)[] = [];

  constructor() {
    afterEach(async () => {
      for (const step of this.#undo.splice(0)) await step();
    });
  }

  until(step: () => unknown): void {
    this.#undo.push(step);
  }

  channel(address: string, settings: ChannelSettings & { readonly tls?: boolean } = {}): GrpcChannel {
    const { tls = false, ...rest } = settings;
    const channel = new GrpcChannel({ address, tls, receiveLimit: LIMIT }, rest);
    this.until(() => channel.close());
    return channel;
  }

  async server(serve: Serve, options: Parameters<typeof H2Server.start>[1] = {}): Promise<H2Server> {
    const server = await H2Server.start(serve, options);
    this.until(() => server.stop());
    return server;
  }
}

export function call(channel: GrpcChannel, changes: Partial<UnaryRequest> = {}): Promise<UnaryEnd> {
  return channel.call({
    path: "/test.Echo/Call",
    message: Buffer.from("hello"),
    metadata: NO_METADATA,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...changes,
  });
}

export const fine = (stream: ServerHttp2Stream): void => answerGrpc(stream, [Buffer.from("fine")]);
export const FINE = { kind: "answered", message: Buffer.from("fine") };
export const GRPC_HEADERS = { ":status": 200, "content-type": "application/grpc" };

export const SECRETS = {
  key: readFileSync(new URL("./fixtures/localhost-key.pem", import.meta.url)),
  cert: readFileSync(new URL("./fixtures/localhost-cert.pem", import.meta.url)),
};
