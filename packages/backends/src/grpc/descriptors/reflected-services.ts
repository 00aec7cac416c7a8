import type { GrpcChannel } from "../../grpc-channel/index.ts";
import { type Reflected, reflect } from "./reflection.ts";

interface Known {
  /** Connections that the channel had made when the answer was there. */
  connections: number;
  readonly asking: Promise<Reflected>;
  ended: boolean;
}

/**
 * What servers said about their services, asked at the first call. Asked
 * again over each new connection, since the server behind it may be another
 * version, and when what was known has proved wrong.
 */
export class ReflectedServices {
  readonly #known = new WeakMap<GrpcChannel, Map<string, Known>>();

  /** Calls that want the same wait for one answer. */
  find(channel: GrpcChannel, service: string): Promise<Reflected> {
    const services = this.#servicesOf(channel);
    const known = services.get(service);
    if (known !== undefined && isFresh(known, channel)) return known.asking;
    const asking = reflect(channel, service);
    const entry: Known = { connections: 0, asking, ended: false };
    services.set(service, entry);
    void asking.then((reflected) => {
      entry.connections = channel.connectionsMade;
      entry.ended = true;
      // A failure is told to those who waited for it, and to nobody else.
      if (reflected.kind !== "linked" && services.get(service) === entry) services.delete(service);
    });
    return asking;
  }

  forget(channel: GrpcChannel, service: string): void {
    this.#known.get(channel)?.delete(service);
  }

  #servicesOf(channel: GrpcChannel): Map<string, Known> {
    let services = this.#known.get(channel);
    if (services === undefined) {
      services = new Map();
      this.#known.set(channel, services);
    }
    return services;
  }
}

function isFresh({ ended, connections }: Known, channel: GrpcChannel): boolean {
  return !ended || (channel.isConnected && connections === channel.connectionsMade);
}
