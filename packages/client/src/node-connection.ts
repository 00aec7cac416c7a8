import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { GatewayAddress } from "./address.ts";
import { type Connection, MAX_ANSWER_BYTES } from "./connection.ts";

/** A host that does not even answer the handshake is given up after this. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection that died without a word is found while requests wait on it. */
const PING_INTERVAL_MS = 30_000;
const PING_TIMEOUT_MS = 10_000;

/** gRPC over one HTTP/2 connection, opened at the first request. Does not keep the process alive while idle. */
export function openConnection({ baseUrl, shown }: GatewayAddress): Connection {
  const sessionManager = new Http2SessionManager(baseUrl, {
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    pingIntervalMs: PING_INTERVAL_MS,
    pingTimeoutMs: PING_TIMEOUT_MS,
  });
  const transport = createGrpcTransport({ baseUrl, sessionManager, readMaxBytes: MAX_ANSWER_BYTES });
  return { transport, address: shown, door: "grpc", close: () => sessionManager.abort() };
}
