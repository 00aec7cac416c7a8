import type { Server, Socket } from "node:net";

/** The connections of a server that are open now. */
export function openSockets(server: Pick<Server, "on">): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  return sockets;
}

/** Breaks the connections and frees the port. */
export async function stopAtOnce(server: Pick<Server, "close">, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}
