import type { DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DoorPorts } from "../door.ts";
import { DOOR_ERRORS, DoorError } from "../door-error.ts";
import type { Handlers } from "../grpc/service.ts";
import type { RequestContext } from "../handlers/context.ts";
import { MAX_TIMEOUT_MS, openRequest } from "./open-request.ts";

/** Serves one rpc in the Connect and gRPC-Web protocols. */
export type ServeRpc = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const CONTEXT = createContextKey<RequestContext | undefined>(undefined);

/** The same handlers as behind the gRPC door, for browsers and curl; by path, such as "/toolgate.v1.…/Call". */
export function connectHandlers(services: readonly ServedService[], ports: DoorPorts): ReadonlyMap<string, ServeRpc> {
  const router = createConnectRouter({
    grpc: false,
    readMaxBytes: ports.maxMessageBytes,
    maxTimeoutMs: MAX_TIMEOUT_MS,
    jsonOptions: { useProtoFieldName: true, ignoreUnknownFields: false },
  });
  for (const service of services) service.addTo(router, ports);
  return new Map(router.handlers.map((handler) => [handler.requestPath, serve(handler, ports)]));
}

export interface ServedService {
  addTo(router: ConnectRouter, ports: DoorPorts): void;
}

export function servedService<S extends DescService>(descriptor: S, handlers: Handlers<S>): ServedService {
  return {
    addTo(router, ports) {
      const methods = Object.entries(handlers).map(([name, handle]) => [name, adapt(handle as AnyHandler, ports)]);
      router.service(descriptor, Object.fromEntries(methods) as Partial<ServiceImpl<S>>);
    },
  };
}

type AnyHandler = (request: never, context: RequestContext) => Promise<object> | AsyncGenerator<object>;

function adapt(handle: AnyHandler, ports: DoorPorts) {
  return (request: never, { values, signal }: HandlerContext) => {
    // The signal also ends with the protocol's own deadline.
    const context: RequestContext = { ...(values.get(CONTEXT) as RequestContext), door: "connect", signal };
    const answer = handle(request, context);
    return "then" in answer ? answer.catch((error) => fail(error, ports)) : failing(answer, ports);
  };
}

async function* failing(messages: AsyncGenerator<object>, ports: DoorPorts): AsyncGenerator<object> {
  try {
    yield* messages;
  } catch (error) {
    fail(error, ports);
  }
}

function fail(thrown: unknown, { log }: DoorPorts): never {
  const error = DoorError.from(thrown);
  if (error.code === "INTERNAL") log.error({ error: error.cause }, "an rpc failed outside a call");
  throw toConnectError(error);
}

/** gRPC status codes and Connect's are the same numbers. */
function toConnectError(error: DoorError): ConnectError {
  const code: Code = DOOR_ERRORS[error.code].grpc;
  return new ConnectError(error.message, code);
}

function serve(handler: UniversalHandler, ports: DoorPorts): ServeRpc {
  return async (request, reply) => {
    const context = openRequest(request, reply, ports);
    const values = createContextValues().set(CONTEXT, context);
    // From here on the protocol's own code writes the answer.
    reply.hijack();
    try {
      const answer = await handler(universalRequestFromNodeRequest(request.raw, reply.raw, undefined, values));
      await universalResponseToNodeResponse(answer, reply.raw);
    } catch (error) {
      if (!context.signal.aborted && !isGone(error))
        ports.log.error({ path: request.url, error }, "a request failed outside a call");
      reply.raw.destroy();
    }
  };
}

/** The caller went away before its answer was written: that is its right, and no fault of ours. */
function isGone(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Aborted || ConnectError.from(error).code === Code.Canceled;
}
