import { type AddressInfo, createServer } from "node:net";
import {
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type StatusObject,
} from "@grpc/grpc-js";
import { openSockets, stopAtOnce } from "./open-sockets.ts";

/** A call as the server saw it. */
export interface SeenCall {
  readonly message: Buffer;
  readonly metadata: Metadata;
  /** Milliseconds that the caller gave, when the call came in. */
  readonly timeoutMs: number;
  /** Breaks the connections of the server. */
  cut(): void;
}

/** Answers with a message or a status; `undefined` never answers. */
export type Handle = (call: SeenCall) => Answer | Promise<Answer>;
export type Answer = Buffer | (Partial<StatusObject> & { readonly code: number }) | undefined;

/** A grpc-js server on the loopback address whose methods speak bytes. */
export class GrpcServer {
  /** Calls by their path, in the order they came. */
  readonly seen: { readonly path: string; readonly call: SeenCall }[] = [];
  /** Calls whose caller went away first. */
  givenUp = 0;
  /** Also known when it has stopped. */
  port = 0;
  readonly #grpc = new Server();
  readonly #injector = this.#grpc.createConnectionInjector(ServerCredentials.createInsecure());
  readonly #listener = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    this.#injector.injectConnection(socket);
  });
  readonly #sockets = openSockets(this.#listener);

  /** @param methods by path, such as "/package.Service/Method" */
  static async start(methods: Readonly<Record<string, Handle>>, port = 0): Promise<GrpcServer> {
    const server = new GrpcServer();
    for (const [path, handle] of Object.entries(methods)) server.#add(path, handle);
    await new Promise<void>((resolve, reject) => {
      server.#listener.on("error", reject);
      server.#listener.listen(port, "127.0.0.1", resolve);
    });
    server.port = (server.#listener.address() as AddressInfo).port;
    return server;
  }

  /** Adds a whole service, such as reflection. */
  addService(...args: Parameters<Server["addService"]>): void {
    this.#grpc.addService(...args);
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sockets.size;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Stops at once: connections break, the port is free. */
  async stop(): Promise<void> {
    const closed = stopAtOnce(this.#listener, this.#sockets);
    this.#grpc.forceShutdown();
    await closed;
  }

  /** Takes no new connections or calls (GOAWAY), and lets those that run end. */
  async drain(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    this.#injector.drain(60_000);
    await closed;
  }

  #add(path: string, handle: Handle): void {
    const definition: ServiceDefinition = {
      method: {
        path,
        requestStream: false,
        responseStream: false,
        requestDeserialize: (bytes) => bytes,
        requestSerialize: (bytes) => bytes,
        responseDeserialize: (bytes) => bytes,
        responseSerialize: (bytes) => bytes,
      },
    };
    const method: handleUnaryCall<Buffer, Buffer> = async (call, callback) => {
      const { request: message, metadata } = call;
      const deadline = call.getDeadline();
      const timeoutMs = Number(deadline) - Date.now();
      const seen = { message, metadata, timeoutMs, cut: () => this.cut() };
      call.on("cancelled", () => {
        this.givenUp += 1;
      });
      this.seen.push({ path, call: seen });
      const answer = await handle(seen);
      if (Buffer.isBuffer(answer)) callback(null, answer);
      else if (answer !== undefined) callback(answer);
    };
    this.#grpc.addService(definition, { method });
  }
}
