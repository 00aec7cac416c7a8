import { createServer as createHttp1Server, type Server } from "node:http";
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { create } from "@bufbuild/protobuf";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CallResponseSchema, ToolGatewayService, type WatchToolsetsRequest } from "@toolgate/contract";
import { onTestFinished } from "vitest";
import { type EnvelopeInit, success } from "./router-client.fixture.ts";
import { message } from "./watch/messages.fixture.ts";

/** A small gateway that the test runs over real sockets. */
export interface SmallGateway {
  /** "127.0.0.1:PORT" */
  readonly address: string;
  readonly port: number;
  /** What watches asked for. */
  readonly watches: readonly WatchToolsetsRequest[];
  /** What came with requests. */
  readonly headers: readonly Headers[];
  /** Says something to all who watch. */
  say(...words: readonly string[]): void;
  /** Dies, with all its connections. */
  kill(): Promise<void>;
}

export interface SmallGatewayOptions {
  /** 0, or a port that a gateway had before. */
  readonly port?: number;
  readonly epoch?: string;
  /** What a new watch hears first. */
  readonly snapshot?: (request: WatchToolsetsRequest) => readonly string[];
  /** A result as JSON, or a whole envelope. */
  readonly call?: (tool: string, context: HandlerContext) => Promise<string> | string | EnvelopeInit;
}

/** Over HTTP/2: the gRPC door. */
export function grpcGateway(options: SmallGatewayOptions = {}): Promise<SmallGateway> {
  const state = new State(options);
  return state.serve(createHttp2Server(connectNodeAdapter({ routes: (router) => state.add(router) })));
}

/** Over HTTP/1.1: the door for browsers. */
export function webGateway(options: SmallGatewayOptions = {}): Promise<SmallGateway> {
  const state = new State(options);
  return state.serve(createHttp1Server(connectNodeAdapter({ routes: (router) => state.add(router) })));
}

class State {
  readonly #options: SmallGatewayOptions;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #watches: WatchToolsetsRequest[] = [];
  readonly #headers: Headers[] = [];
  readonly #said: string[] = [];
  #wake = Promise.withResolvers<void>();

  constructor(options: SmallGatewayOptions) {
    this.#options = options;
  }

  add({ service }: ConnectRouter): void {
    const { call = () => "1", snapshot = () => ["synced @1"], epoch = "one" } = this.#options;
    const state = this;
    service(ToolGatewayService, {
      call: async ({ target }, context) => {
        this.#headers.push(context.requestHeader);
        const answer = await call(target.value ?? "", context);
        const envelope = typeof answer === "string" ? success(answer) : answer;
        return create(CallResponseSchema, { envelope: { tool: target.value ?? "", meta: {}, ...envelope } });
      },
      watchToolsets: async function* (this: void, request: WatchToolsetsRequest, { signal }: HandlerContext) {
        state.#watches.push(request);
        let heard = state.#said.length;
        for (const words of snapshot(request)) yield message(words, epoch);
        const gone = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        while (!signal.aborted) {
          for (; heard < state.#said.length; heard++) yield message(state.#said[heard] ?? "", epoch);
          await Promise.race([state.#wake.promise, gone]);
        }
      },
    });
  }

  async serve(server: Http2Server | Server): Promise<SmallGateway> {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
    });
    server.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.on("error", () => {});
    });
    await new Promise<void>((resolve) => server.listen(this.#options.port ?? 0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const kill = async () => {
      for (const session of this.#sessions) session.destroy();
      for (const socket of this.#sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    };
    onTestFinished(kill);
    return {
      address: `127.0.0.1:${port}`,
      port,
      watches: this.#watches,
      headers: this.#headers,
      say: (...words) => {
        this.#said.push(...words);
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      },
      kill,
    };
  }
}
