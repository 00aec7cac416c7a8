import type { Clock } from "@toolgate/core";
import type { Authenticate } from "../identity/authenticate.ts";

/** What every door needs, whichever protocol it speaks. */
export interface DoorPorts {
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  /** Aborted when the gateway drains: nothing new is let in then. */
  readonly draining: AbortSignal;
  readonly maxMessageBytes: number;
  readonly log: DoorLog;
}

export interface DoorLog {
  error(fields: object, message: string): void;
}

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** As in a URL: an IPv6 address stands in brackets (RFC 3986 section 3.2.2). */
export function hostAndPort({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Something that listens: where it really does, and how it ends. */
export interface OpenDoor {
  readonly address: ListenAddress;
  /** Lets nothing new in, and resolves when what is inside has left. */
  drain(): Promise<void>;
  /** Ends at once. */
  destroy(): void;
}

/** Words for a port that cannot be had. */
export function listenError(what: string, { host, port }: ListenAddress, error: unknown): Error {
  const code = (error as { code?: string }).code ?? String(error);
  const reasons: Record<string, string> = {
    EADDRINUSE: "another process already listens there. Stop it, or choose another port",
    EACCES: "this user may not listen there. Ports below 1024 need more rights; choose another port",
    EADDRNOTAVAIL: "this machine has no such address",
  };
  const key = Object.keys(reasons).find((name) => code.includes(name) || String(error).includes(name));
  const reason = key === undefined ? code : reasons[key];
  return new Error(`Cannot listen for ${what} on ${host}:${port}: ${reason}.`, { cause: error });
}
