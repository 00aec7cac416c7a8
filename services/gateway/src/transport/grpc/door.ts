import { promisify } from "node:util";
import { ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { hostAndPort, type ListenAddress, listenError, type OpenDoor } from "../door.ts";
import { GatewayServer } from "./gateway-server.ts";
import type { BoundService } from "./service.ts";

/** Bounds of one gRPC connection. */
const MAX_CONCURRENT_STREAMS = 2_000;

export interface GrpcDoor extends OpenDoor {
  addService(definition: ServiceDefinition, implementation: UntypedServiceImplementation): void;
}

/** Opens the gRPC door. Rejects in words where the port cannot be had. */
export async function openGrpcDoor(
  listen: ListenAddress,
  services: readonly BoundService[],
  maxMessageBytes: number,
): Promise<GrpcDoor> {
  const server = new GatewayServer({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_concurrent_streams": MAX_CONCURRENT_STREAMS,
    // Finds dead connections, and keeps those alive that a middlebox would forget.
    "grpc.keepalive_time_ms": 60_000,
    "grpc.keepalive_timeout_ms": 20_000,
    // Nobody reads channelz here, and it costs memory for each connection and call.
    "grpc.enable_channelz": 0,
  });
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  const port = await bind(server, listen);
  return {
    address: { host: listen.host, port },
    addService: (definition, implementation) => server.addService(definition, implementation),
    drain: () => promisify(server.tryShutdown.bind(server))(),
    destroy: () => server.forceShutdown(),
  };
}

async function bind(server: GatewayServer, listen: ListenAddress): Promise<number> {
  try {
    return await new Promise<number>((resolve, reject) => {
      server.bindAsync(hostAndPort(listen), ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  } catch (error) {
    server.forceShutdown();
    throw listenError("gRPC", listen, error);
  }
}
