import { isUtf8 } from "node:buffer";
import cors from "@fastify/cors";
import type {
  CallRequest,
  CallResponse,
  ListToolsRequest,
  ListToolsResponse,
  ReportOutcomeRequest,
  ReportOutcomeResponse,
} from "@toolgate/contract";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type DoorPorts, type ListenAddress, listenError, type OpenDoor } from "../door.ts";
import { DOOR_ERRORS, DoorError } from "../door-error.ts";
import type { RequestContext } from "../handlers/context.ts";
import type { ToolsetList } from "../handlers/list-toolsets.ts";
import { isLoopbackHost, isWelcome, refuseForeignPages } from "./browser-guard.ts";
import { readCallBody } from "./call-body.ts";
import { RPC_CORS } from "./cors-headers.ts";
import { doorErrorToJson, envelopeToJson, httpStatusOf, retryAfterOf, toolListToJson, toolsetToJson } from "./json.ts";
import { readListQuery } from "./list-query.ts";
import { openRequest } from "./open-request.ts";
import { OUTCOME_EXAMPLE, readOutcomeBody } from "./outcome-body.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import { addRpcRoutes, type HttpRpcs } from "./rpc-routes.ts";
import { answerUnreadable } from "./unreadable.ts";

export interface HttpHandlers {
  call(request: CallRequest, context: RequestContext): Promise<CallResponse>;
  listTools(request: ListToolsRequest, context: RequestContext): Promise<ListToolsResponse>;
  reportOutcome(request: ReportOutcomeRequest, context: RequestContext): Promise<ReportOutcomeResponse>;
  listToolsets(context: RequestContext): Promise<ToolsetList>;
  readonly rpcs: HttpRpcs;
}

export interface HttpDoorPorts extends DoorPorts {
  /** Origins of web pages that may use this door, beside those of this machine on loopback. */
  readonly allowedOrigins: readonly string[];
}

const CALL_EXAMPLE = '{"tool": "NAME", "params": {…}}';
const JSON_TYPE = "application/json; charset=utf-8";
/** A client that needs longer than this for its headers or its whole request is cut off. */
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_CHECK_MS = 50;
/** How long a browser may remember that a page is welcome. */
const PREFLIGHT_SECONDS = 600;

/** Opens the HTTP/JSON door. Rejects in words where the port cannot be had. */
export async function openHttpDoor(
  listen: ListenAddress,
  handlers: HttpHandlers,
  ports: HttpDoorPorts,
): Promise<OpenDoor> {
  const app = Fastify({
    bodyLimit: ports.maxMessageBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 256 },
    // A path that cannot be decoded gets no further than the router.
    frameworkErrors: (error, request, reply) => sendError(toDoorError(error, request, ports), reply),
    clientErrorHandler: answerUnreadable,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => sendError(toDoorError(error, request, ports), reply));
  app.setNotFoundHandler((request, reply) => sendError(nothingAt(request), reply));
  await addBrowserRules(app, isLoopbackHost(listen.host), ports.allowedOrigins);
  addRoutes(app, handlers, ports);
  addRpcRoutes(app, handlers.rpcs);
  try {
    await app.listen(listen);
  } catch (error) {
    throw listenError("HTTP", listen, error);
  }
  const { port } = app.server.address() as { port: number };
  return {
    address: { host: listen.host, port },
    drain: () => drain(app),
    destroy: () => app.server.closeAllConnections(),
  };
}

/** A connection whose last answer has been sent is closed, also when that happens while the door closes. */
async function drain(app: FastifyInstance): Promise<void> {
  const timer = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  try {
    await app.close();
  } finally {
    clearInterval(timer);
  }
}

async function addBrowserRules(app: FastifyInstance, loopback: boolean, allowed: readonly string[]): Promise<void> {
  if (loopback) app.addHook("onRequest", async (request) => refuseForeignPages(request.headers, allowed));
  await app.register(cors, {
    origin: (origin, decide) =>
      decide(null, origin !== undefined && (loopback ? isWelcome(origin, allowed) : allowed.includes(origin))),
    methods: [...RPC_CORS.methods],
    allowedHeaders: [...RPC_CORS.allowedHeaders, "authorization", "traceparent", "tracestate"],
    exposedHeaders: [...RPC_CORS.exposedHeaders, "retry-after", "ratelimit", "ratelimit-policy"],
    maxAge: PREFLIGHT_SECONDS,
  });
}

function addRoutes(app: FastifyInstance, handlers: HttpHandlers, ports: DoorPorts): void {
  const call = async (request: FastifyRequest, reply: FastifyReply) => {
    const context = openRequest(request, reply, ports);
    const { envelope } = await handlers.call(readCallBody(bodyOf(request, CALL_EXAMPLE)), context);
    if (envelope === undefined) throw new DoorError("INTERNAL", "The gateway failed; its log says why.");
    reply.headers(rateLimitHeaders(envelope));
    const retryAfter = retryAfterOf(envelope);
    if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
    return reply.code(httpStatusOf(envelope)).type(JSON_TYPE).send(envelopeToJson(envelope));
  };
  app.post("/v1/call", call);
  app.post("/call", call);
  app.post("/v1/outcome", async (request, reply) => {
    const context = openRequest(request, reply, ports);
    const { known } = await handlers.reportOutcome(readOutcomeBody(bodyOf(request, OUTCOME_EXAMPLE)), context);
    return reply.type(JSON_TYPE).send(JSON.stringify({ known }));
  });
  app.get("/v1/tools", async (request, reply) => {
    const query = new URLSearchParams(/\?(.*)/s.exec(request.raw.url ?? "")?.[1]);
    const list = await handlers.listTools(readListQuery(query), openRequest(request, reply, ports));
    return reply.type(JSON_TYPE).send(toolListToJson(list));
  });
  app.get("/v1/toolsets", async (request, reply) => {
    const { generation, toolsets } = await handlers.listToolsets(openRequest(request, reply, ports));
    const body = { generation: String(generation), toolsets: toolsets.map(toolsetToJson) };
    return reply.type(JSON_TYPE).send(JSON.stringify(body));
  });
}

/** JSON is UTF-8 (RFC 8259 section 8.1). Decoding anything else would change the arguments without a word. */
function bodyOf({ body }: FastifyRequest, example: string): string {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new DoorError("INVALID_ARGUMENT", `The body is empty. Send ${example}.`);
  }
  if (!isUtf8(body)) throw new DoorError("INVALID_ARGUMENT", "The body is not valid UTF-8.");
  return body.toString("utf8");
}

function nothingAt(request: FastifyRequest): DoorError {
  const path = JSON.stringify(`${request.method} ${request.url.slice(0, 100)}`);
  return new DoorError(
    "NOT_FOUND",
    `There is nothing at ${path}. Known: POST /v1/call, POST /v1/outcome, GET /v1/tools, GET /v1/toolsets.`,
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
