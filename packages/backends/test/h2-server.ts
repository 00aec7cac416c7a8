import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { openSockets, stopAtOnce } from "./open-sockets.ts";

export type Serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** An HTTP/2 server that says what no gRPC server would. */
export class H2Server {
  /** Requests so far. */
  taken = 0;
  readonly #server: Http2Server;
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(server: Http2Server) {
    this.#server = server;
    this.#sockets = openSockets(server);
    server.on("session", (session) => session.on("error", () => {}));
    server.on("sessionError", () => {});
  }

  /** @param options where `key` and `cert` are set, it speaks TLS */
  static async start(
    serve: Serve,
    options: { readonly key?: Buffer; readonly cert?: Buffer; readonly host?: string; readonly port?: number } = {},
  ): Promise<H2Server> {
    const { host = "127.0.0.1", port = 0, ...secrets } = options;
    const server = secrets.key === undefined ? createServer() : createSecureServer(secrets);
    const started = new H2Server(server);
    server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      started.taken += 1;
      stream.on("error", () => {});
      serve(stream, headers);
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    return started;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sockets.size;
  }

  stop(): Promise<void> {
    return stopAtOnce(this.#server, this.#sockets);
  }
}

const GRPC = { ":status": 200, "content-type": "application/grpc" };

/** Answers as gRPC does, with these messages and this status. */
export function answerGrpc(
  stream: ServerHttp2Stream,
  messages: readonly Buffer[],
  trailers: Record<string, string> = { "grpc-status": "0" },
): void {
  stream.respond(GRPC, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(Buffer.concat(messages.map(frame)));
}

/** A message with the header that gRPC puts before it. */
export function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}
