import type { Socket } from "node:net";
import { type CallCredentials, ChannelCredentials } from "@grpc/grpc-js";

type CreateConnector = ChannelCredentials["_createSecureConnector"];

/**
 * Credentials that see each socket of their channel before a byte is written
 * to it, so that they can end them all. grpc-js has no bound on connecting: a
 * connection to a server that says nothing would outlive its channel.
 */
export class TrackedCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials;
  readonly #sockets = new Set<Socket>();
  readonly #onSocket: () => void;
  #ended = false;

  /** @param onSocket hears of each connection that is begun */
  constructor(inner: ChannelCredentials, onSocket: () => void) {
    super();
    this.#inner = inner;
    this.#onSocket = onSocket;
  }

  /** Ends every connection, and those that are still to come. */
  endSockets(): void {
    this.#ended = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  _isSecure(): boolean {
    return this.#inner._isSecure();
  }

  _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  _createSecureConnector(...args: Parameters<CreateConnector>): ReturnType<CreateConnector> {
    const inner = this.#inner._createSecureConnector(...args);
    return {
      connect: (socket) => {
        this.#track(socket);
        return inner.connect(socket);
      },
      waitForReady: () => inner.waitForReady(),
      getCallCredentials: (): CallCredentials => inner.getCallCredentials(),
      destroy: () => inner.destroy(),
    };
  }

  #track(socket: Socket): void {
    this.#onSocket();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#ended) socket.destroy();
  }
}
