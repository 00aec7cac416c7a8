import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type ListenAddress, listenError, type OpenDoor } from "../door.ts";

export interface AdminSources {
  /** The metrics, as text in Prometheus's exposition format. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** The life's state; "ready" answers 200 on /readyz. */
  readonly state: () => string;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Opens the operators' port: /metrics, /healthz (the process lives), /readyz (it takes calls). */
export async function openAdminDoor(listen: ListenAddress, sources: AdminSources): Promise<OpenDoor> {
  const server = createServer((request, response) => {
    answer(request, sources).then(
      (result) => send(response, result),
      () => send(response, plain(500, "failed\n")),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenError("the admin port", listen, error)));
    server.listen(listen.port, listen.host, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    address: { host: listen.host, port },
    drain: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    destroy: () => server.closeAllConnections(),
  };
}

async function answer(request: IncomingMessage, sources: AdminSources): Promise<Answer> {
  const path = request.url?.split("?")[0];
  if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "only GET\n");
  switch (path) {
    case "/metrics":
      return { status: 200, ...(await sources.metrics()) };
    case "/healthz":
      return plain(200, "ok\n");
    case "/readyz": {
      const state = sources.state();
      return plain(state === "ready" ? 200 : 503, `${state}\n`);
    }
    default:
      return plain(404, "Known: /metrics, /healthz, /readyz\n");
  }
}

function plain(status: number, text: string): Answer {
  return { status, contentType: "text/plain; charset=utf-8", text };
}

function send(response: ServerResponse, { status, contentType, text }: Answer): void {
  response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(text) });
  response.end(response.req.method === "HEAD" ? undefined : text);
}
