import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What the backend was asked. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the other side has closed the connection before the answer. */
  readonly aborted: Promise<void>;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `"hang"` never answers; `"drop"` closes the connection without an answer. */
export type Script = (request: SeenRequest) => ScriptedAnswer | "hang" | "drop" | Promise<ScriptedAnswer>;

export interface HttpBackend {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  script: Script;
  close(): Promise<void>;
}

/** A real HTTP server whose answers a test writes; closed when the test ends. */
export async function httpBackend(script: Script = () => json({ ok: true })): Promise<HttpBackend> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const seen = await read(request, response);
    requests.push(seen);
    const answer = await backend.script(seen);
    if (answer === "hang") return;
    if (answer === "drop") return void request.socket.destroy();
    response.writeHead(answer.status ?? 200, answer.headers ?? {}).end(answer.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const backend: HttpBackend = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(() => backend.close());
  return backend;
}

export function json(value: unknown, status = 200): ScriptedAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

async function read(request: IncomingMessage, response: ServerResponse): Promise<SeenRequest> {
  const aborted = new Promise<void>((resolve) => {
    response.on("close", () => {
      if (!response.writableFinished) resolve();
    });
  });
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "", url = "", headers } = request;
  return { method, url, headers, body: Buffer.concat(chunks).toString("utf8"), aborted };
}
