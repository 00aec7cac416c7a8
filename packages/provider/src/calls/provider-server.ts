import { promisify } from "node:util";
import { type handleUnaryCall, Metadata, Server, ServerCredentials, type ServerUnaryCall, status } from "@grpc/grpc-js";
import { ToolProviderService } from "@toolgate/contract";
import { type HostPort, hostPort } from "../address.ts";
import { unaryDefinition } from "../codec.ts";
import type { ProviderLog } from "../log.ts";
import { type HandlerPorts, providerHandlers, Refused } from "./provider-handlers.ts";

/** Arguments larger than the gateway's own bound on messages never get here; this bounds strangers. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/**
 * Node ends a connection with more cancelled calls than 1,000 at once as an
 * attack (CVE-2023-44487). The gateway's one connection carries the cancels of
 * all its callers, and every other call would die with it.
 */
const STREAM_RESET_BURST = 20_000;
const STREAM_RESET_RATE = 2_000;

export interface ProviderServer {
  /** Where it listens, with the port that it got. */
  readonly listening: HostPort;
  /** Takes no new calls, and resolves when those that run are answered. */
  drain(): Promise<void>;
  /** Ends every connection. */
  destroy(): void;
}

/**
 * Serves ToolProviderService.
 *
 * @throws Error in words, where the port cannot be had.
 */
export async function openProviderServer(listen: HostPort, ports: HandlerPorts): Promise<ProviderServer> {
  const server = new Server({
    "grpc.max_receive_message_length": MAX_REQUEST_BYTES,
    "grpc.keepalive_time_ms": 60_000,
    "grpc.keepalive_timeout_ms": 20_000,
    // Nobody reads channelz here, but without it grpc-js 1.14.7 forgets its connections, and cannot end them.
    "grpc.enable_channelz": 1,
  });
  allowCancels(server);
  const { method } = ToolProviderService;
  const { invoke, check } = providerHandlers(ports);
  server.addService(
    { Invoke: unaryDefinition(method.invoke), Check: unaryDefinition(method.check) },
    { Invoke: answering(invoke, ports.log), Check: answering(check, ports.log) },
  );
  const port = await bind(server, listen);
  return {
    listening: { host: listen.host, port },
    drain: promisify(server.tryShutdown.bind(server)),
    destroy: () => server.forceShutdown(),
  };
}

function answering<I, O>(handle: (call: ServerUnaryCall<I, O>) => Promise<O>, log: ProviderLog): handleUnaryCall<I, O> {
  return (call, callback) => {
    handle(call).then(
      (answer) => callback(null, answer),
      (thrown: unknown) => {
        if (!(thrown instanceof Refused)) log.error({ error: thrown }, "the provider failed outside a handler");
        const { code, details } =
          thrown instanceof Refused
            ? thrown
            : { code: status.INTERNAL, details: "The provider failed; its log says why." };
        callback({ code, details, metadata: new Metadata() });
      },
    );
  };
}

/** grpc-js offers no way to hand options to `http2.createServer`; where a newer one keeps them elsewhere, a test says so. */
function allowCancels(server: Server): void {
  const options: unknown = Reflect.get(server, "commonServerOptions");
  if (typeof options !== "object" || options === null) return;
  Object.assign(options, { streamResetBurst: STREAM_RESET_BURST, streamResetRate: STREAM_RESET_RATE });
}

async function bind(server: Server, listen: HostPort): Promise<number> {
  try {
    return await new Promise<number>((resolve, reject) => {
      server.bindAsync(hostPort(listen), ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  } catch (cause) {
    server.forceShutdown();
    const message = `Cannot listen on ${hostPort(listen)}: ${(cause as Error).message}. Use another "listen", such as "127.0.0.1:0".`;
    throw new Error(message, { cause });
  }
}
