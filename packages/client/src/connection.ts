import type { Transport } from "@connectrpc/connect";

/** Far above what a gateway sends; keeps a foreign server from filling the memory. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** A transport that knows where it leads, and that is closed together with the client that was given it. */
export interface ClosableTransport extends Transport {
  /** For people, in errors: "127.0.0.1:50051". */
  readonly address: string;
  close(): void;
}

/** Which of the gateway's doors is meant; errors name its port. */
export type Door = "grpc" | "http";

/** The way to one gateway. */
export interface Connection {
  readonly transport: Transport;
  /** For people, in errors. */
  readonly address: string;
  readonly door: Door;
  close(): void;
}

/** A transport of the caller's; `address` is for errors where it does not know its own. */
export function connectionOver(transport: Transport | ClosableTransport, address: string, door: Door): Connection {
  if (!("close" in transport)) return { transport, address, door, close: () => {} };
  return { transport, address: transport.address, door, close: () => transport.close() };
}
