import type { Socket } from "node:net";
import { type CallCredentials, ChannelCredentials } from "@grpc/grpc-js";
import { ADDRESS_NOT_ALLOWED, type AddressGuard, AddressNotAllowed, isAllowed } from "../address-guard.ts";

type CreateConnector = ChannelCredentials["_createSecureConnector"];

export interface SocketPorts {
  /** Hears of each connection that is begun. */
  readonly onSocket: () => void;
  /** Every address may be reached where unset. */
  readonly allowAddress: AddressGuard | undefined;
}

/**
 * Credentials that see each socket of their channel before a byte is written
 * to it, so that they can end them all, and refuse one that leads to an
 * address that is not allowed: grpc-js looks names up by itself. It has no
 * bound on connecting either: a connection to a server that says nothing would
 * outlive its channel.
 */
export class TrackedCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials;
  readonly #sockets = new Set<Socket>();
  readonly #ports: SocketPorts;
  #ended = false;

  constructor(inner: ChannelCredentials, ports: SocketPorts) {
    super();
    this.#inner = inner;
    this.#ports = ports;
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
        const refusal = this.#refusalOf(socket);
        return refusal === undefined ? inner.connect(socket) : Promise.reject(refusal);
      },
      waitForReady: () => inner.waitForReady(),
      getCallCredentials: (): CallCredentials => inner.getCallCredentials(),
      destroy: () => inner.destroy(),
    };
  }

  #refusalOf(socket: Socket): Error | undefined {
    const { allowAddress } = this.#ports;
    const { remoteAddress } = socket;
    if (allowAddress === undefined || (remoteAddress !== undefined && isAllowed(remoteAddress, allowAddress))) return;
    socket.destroy();
    // grpc-js makes a text of it, in which the code is found again.
    return new AddressNotAllowed(ADDRESS_NOT_ALLOWED);
  }

  #track(socket: Socket): void {
    this.#ports.onSocket();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#ended) socket.destroy();
  }
}
