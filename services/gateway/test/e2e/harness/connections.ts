import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** HTTP/2 frame types (RFC 9113 section 6). */
const PING = 6;
const GOAWAY = 7;
const ACK = 1;
const FRAME_HEADER_BYTES = 9;

export interface ObservedAddress {
  /** "host:port" to talk to. */
  readonly address: string;
  /** Connections that clients opened so far. */
  readonly connections: number;
  /** PING frames from clients that were answered. */
  readonly answeredPings: number;
  /** GOAWAY frames from the server. */
  readonly goaways: number;
}

/** Passes bytes on to an HTTP/2 server, and counts what goes by on the connections. */
export async function observed(target: string): Promise<ObservedAddress> {
  const counts = { connections: 0, answeredPings: 0, goaways: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    counts.connections += 1;
    const [host, port] = target.split(":");
    const upstream = connect(Number(port), host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    const read = frames((type, flags) => {
      if (type === PING && (flags & ACK) !== 0) counts.answeredPings += 1;
      if (type === GOAWAY) counts.goaways += 1;
    });
    upstream.on("data", read);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return counts.connections;
    },
    get answeredPings() {
      return counts.answeredPings;
    },
    get goaways() {
      return counts.goaways;
    },
  };
}

/** Calls back for each frame of one direction of a connection. */
function frames(onFrame: (type: number, flags: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= FRAME_HEADER_BYTES) {
      const length = FRAME_HEADER_BYTES + rest.readUIntBE(0, 3);
      if (rest.length < length) return;
      onFrame(rest.readUInt8(3), rest.readUInt8(4));
      rest = rest.subarray(length);
    }
  };
}
