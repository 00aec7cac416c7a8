import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import { openSockets, stopAtOnce } from "./open-sockets.ts";

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query, as they were on the wire. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Answerer = (request: SeenRequest, response: ServerResponse) => void;

/** An HTTP server on a free port of the loopback address. */
export class TestServer {
  readonly seen: SeenRequest[] = [];
  /** Answers whose client went away first. */
  givenUp = 0;
  readonly #server: Server | TcpServer;
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(server: Server | TcpServer) {
    this.#server = server;
    this.#sockets = openSockets(server);
  }

  static async start(
    answer: Answerer,
    wrap: (listener: RequestListener) => Server = createServer,
  ): Promise<TestServer> {
    let started: TestServer | undefined;
    const server = wrap(async (request, response) => {
      const body = await readAll(request);
      const seen = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
      response.on("close", () => {
        if (!response.writableFinished && started !== undefined) started.givenUp += 1;
      });
      started?.seen.push(seen);
      answer(seen, response);
    });
    started = await TestServer.#listening(server);
    return started;
  }

  /** A server that speaks bytes: for answers that no HTTP server would give. */
  static startRaw(serve: (socket: Socket, received: string, count: number) => void): Promise<TestServer> {
    let count = 0;
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => serve(socket, chunk.toString("latin1"), ++count));
    });
    return TestServer.#listening(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sockets.size;
  }

  stop(): Promise<void> {
    return stopAtOnce(this.#server, this.#sockets);
  }

  static async #listening(server: Server | TcpServer): Promise<TestServer> {
    const started = new TestServer(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return started;
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** A port that nobody listens on. */
export async function deadPort(): Promise<number> {
  const server = await TestServer.startRaw(() => {});
  const { port } = server;
  await server.stop();
  return port;
}
