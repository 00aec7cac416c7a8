import { Server, type ServerOptions } from "@grpc/grpc-js";

/**
 * How many cancelled calls one connection may make at once, and how many a
 * second after that, before Node ends the connection as an attack
 * (CVE-2023-44487). Node's own numbers, 1,000 and 33, are met by one busy
 * agent that cancels: all its other calls would die with the connection.
 */
export const STREAM_RESET_BURST = 20_000;
export const STREAM_RESET_RATE = 2_000;

/** The options that grpc-js hands to `http2.createServer`; it offers no way to add to them. */
interface Http2Options {
  streamResetBurst?: number;
  streamResetRate?: number;
}

/** A grpc-js server whose connections survive many cancelled calls. */
export class GatewayServer extends Server {
  constructor(options: ServerOptions) {
    super(options);
    const http2Options: unknown = Reflect.get(this, "commonServerOptions");
    if (typeof http2Options !== "object" || http2Options === null) {
      // A newer grpc-js keeps its options elsewhere. Better no start than a silent loss of the bound.
      throw new Error(
        "This version of @grpc/grpc-js keeps its HTTP/2 options in another place; see gateway-server.ts.",
      );
    }
    Object.assign(http2Options satisfies Http2Options, {
      streamResetBurst: STREAM_RESET_BURST,
      streamResetRate: STREAM_RESET_RATE,
    });
  }
}
