import type { CallRequest, CallResponse, ListToolsRequest, ListToolsResponse } from "@toolgate/contract";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type DoorPorts, type ListenAddress, listenError, type OpenDoor } from "../door.ts";
import { DOOR_ERRORS, DoorError } from "../door-error.ts";
import type { RequestContext } from "../handlers/context.ts";
import type { ToolsetList } from "../handlers/list-toolsets.ts";
import { readTrace } from "../trace.ts";
import { isLoopbackHost, refuseForeignPages } from "./browser-guard.ts";
import { readCallBody } from "./call-body.ts";
import { doorErrorToJson, envelopeToJson, httpStatusOf, retryAfterOf, toolListToJson, toolsetToJson } from "./json.ts";
import { readListQuery } from "./list-query.ts";

export interface HttpHandlers {
  call(request: CallRequest, context: RequestContext): Promise<CallResponse>;
  listTools(request: ListToolsRequest, context: RequestContext): Promise<ListToolsResponse>;
  listToolsets(context: RequestContext): Promise<ToolsetList>;
}

const JSON_TYPE = "application/json; charset=utf-8";
/** A client that needs longer than this for its headers or its whole request is cut off. */
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 3_600_000;

/** Opens the HTTP/JSON door. Rejects in words where the port cannot be had. */
export async function openHttpDoor(listen: ListenAddress, handlers: HttpHandlers, ports: DoorPorts): Promise<OpenDoor> {
  const app = Fastify({
    bodyLimit: ports.maxMessageBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 256 },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => sendError(toDoorError(error, request, ports), reply));
  app.setNotFoundHandler((request, reply) => sendError(nothingAt(request), reply));
  if (isLoopbackHost(listen.host)) app.addHook("onRequest", async (request) => refuseForeignPages(request.headers));
  addRoutes(app, handlers, ports);
  try {
    await app.listen(listen);
  } catch (error) {
    throw listenError("HTTP", listen, error);
  }
  const { port } = app.server.address() as { port: number };
  return {
    address: { host: listen.host, port },
    drain: () => app.close(),
    destroy: () => app.server.closeAllConnections(),
  };
}

function addRoutes(app: FastifyInstance, handlers: HttpHandlers, ports: DoorPorts): void {
  const call = async (request: FastifyRequest, reply: FastifyReply) => {
    const context = enter(request, reply, ports);
    const { envelope } = await handlers.call(readCallBody(bodyOf(request)), context);
    if (envelope === undefined) throw new DoorError("INTERNAL", "The gateway failed; its log says why.");
    const retryAfter = retryAfterOf(envelope);
    if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
    return reply.code(httpStatusOf(envelope)).type(JSON_TYPE).send(envelopeToJson(envelope));
  };
  app.post("/v1/call", call);
  app.post("/call", call);
  app.get("/v1/tools", async (request, reply) => {
    const query = new URLSearchParams(request.raw.url?.split("?")[1] ?? "");
    const list = await handlers.listTools(readListQuery(query), enter(request, reply, ports));
    return reply.type(JSON_TYPE).send(toolListToJson(list));
  });
  app.get("/v1/toolsets", async (request, reply) => {
    const { generation, toolsets } = await handlers.listToolsets(enter(request, reply, ports));
    const body = { generation: String(generation), toolsets: toolsets.map(toolsetToJson) };
    return reply.type(JSON_TYPE).send(JSON.stringify(body));
  });
}

/** Lets a request in: who calls, until when, and a signal for when the caller goes. */
function enter(request: FastifyRequest, reply: FastifyReply, ports: DoorPorts): RequestContext {
  if (ports.draining.aborted)
    throw new DoorError("UNAVAILABLE", "The gateway is stopping. Try another one, or again later.");
  const caller = ports.authenticate(request.headers.authorization);
  if (caller === undefined) {
    throw new DoorError("UNAUTHENTICATED", 'Send a known API key in the header "Authorization: Bearer KEY".');
  }
  const gone = new AbortController();
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) gone.abort(new DOMException("The caller went away", "AbortError"));
  });
  const header = (name: string) => [request.headers[name]].flat()[0];
  const receivedAt = ports.clock.monotonic();
  const context = { caller, trace: readTrace(header), receivedAt, signal: gone.signal };
  const timeoutMs = timeoutOf(header("connect-timeout-ms"));
  return timeoutMs === undefined ? context : { ...context, deadlineAt: receivedAt + timeoutMs };
}

/** HTTP has no deadline of its own; this header is the Connect protocol's. */
function timeoutOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = Number(header);
  if (/^\d{1,10}$/.test(header) && ms > 0) return Math.min(ms, MAX_TIMEOUT_MS);
  throw new DoorError(
    "INVALID_ARGUMENT",
    'The header "connect-timeout-ms" must be a whole number of milliseconds above 0.',
  );
}

function bodyOf(request: FastifyRequest): string {
  if (typeof request.body === "string" && request.body !== "") return request.body;
  throw new DoorError("INVALID_ARGUMENT", 'The body is empty. Send {"tool": "NAME", "params": {…}}.');
}

function nothingAt(request: FastifyRequest): DoorError {
  const path = JSON.stringify(`${request.method} ${request.url.slice(0, 100)}`);
  return new DoorError(
    "NOT_FOUND",
    `There is nothing at ${path}. Known: POST /v1/call, GET /v1/tools, GET /v1/toolsets.`,
  );
}

function toDoorError(error: unknown, request: FastifyRequest, ports: DoorPorts): DoorError {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (statusCode === 413) {
    return new DoorError("MESSAGE_TOO_LARGE", `The body is larger than ${ports.maxMessageBytes} bytes.`);
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new DoorError("INVALID_ARGUMENT", "The content type must be application/json.");
  }
  if (!(error instanceof DoorError) && statusCode !== undefined && statusCode < 500) {
    return new DoorError("INVALID_ARGUMENT", "The request is not well-formed HTTP.", error);
  }
  const known = DoorError.from(error);
  if (known.code === "INTERNAL")
    ports.log.error({ path: request.url, error: known.cause }, "a request failed outside a call");
  return known;
}

function sendError(error: DoorError, reply: FastifyReply): FastifyReply {
  if (error.code === "UNAUTHENTICATED") reply.header("www-authenticate", 'Bearer realm="toolgate"');
  if (error.code === "UNAVAILABLE") reply.header("retry-after", "1").header("connection", "close");
  return reply.code(DOOR_ERRORS[error.code].http).type(JSON_TYPE).send(doorErrorToJson(error));
}
