import type { Transport } from "@connectrpc/connect";
import { DEFAULT_ADDRESS, readAddress } from "./address.ts";
import { type CommonOptions, clientOver, type ToolgateClient } from "./client.ts";
import { type ClosableTransport, connectionOver } from "./connection.ts";
import { openConnection } from "./node-connection.ts";

export interface ClientOptions extends CommonOptions {
  /** "HOST:PORT", or a URL with http or https; 127.0.0.1:50051 where unset. */
  readonly address?: string;
  /**
   * Another way to the gateway, such as one in memory, or that of
   * `@toolgate/client/grpc-js`. `close()` closes it too where it can be closed.
   */
  readonly transport?: Transport | ClosableTransport;
}

/** Makes a client. Opens no connection before the first request. */
export function createClient(options: ClientOptions = {}): ToolgateClient {
  const address = readAddress(options.address ?? DEFAULT_ADDRESS);
  const { transport } = options;
  const connection =
    transport === undefined ? openConnection(address) : connectionOver(transport, address.shown, "grpc");
  return clientOver(connection, options);
}
