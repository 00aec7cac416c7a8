import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { type AddressGuard, AddressNotAllowed, isAllowed } from "../address-guard.ts";
import { buildConnector, type Connector } from "./undici.ts";

export interface ConnectOptions {
  readonly connectTimeoutMs: number;
  /** Every address may be reached where unsaid. */
  readonly allowAddress?: AddressGuard;
  /** Certificates of authorities to trust, in PEM, in place of the system's. */
  readonly ca?: string;
}

/**
 * Opens connections, each to an address that the guard has seen: names are
 * resolved once and only allowed addresses are dialled, so an answer of the
 * name server that changes in between gains nothing (DNS rebinding). IP
 * literals, which are never looked up, are checked too.
 */
export function createConnector(options: ConnectOptions): Connector {
  const { connectTimeoutMs, allowAddress, ca } = options;
  const base = buildConnector({
    timeout: connectTimeoutMs,
    // HTTP/1.1 only: one request a connection at a time, so that a lost connection is one lost call.
    allowH2: false,
    ...(ca === undefined ? {} : { ca }),
    ...(allowAddress === undefined ? {} : { lookup: guardedLookup(allowAddress) }),
  });
  if (allowAddress === undefined) return base;
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !isAllowed(target.hostname, allowAddress)) {
      callback(new AddressNotAllowed(`The address ${target.hostname} is not allowed`), null);
      return;
    }
    // The socket is returned so that undici can give up an attempt that nobody waits for.
    return base(target, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else callback(...checked(socket, allowAddress));
    });
  };
}

function checked(socket: Socket, allow: AddressGuard): [Error, null] | [null, Socket] {
  const { remoteAddress } = socket;
  if (remoteAddress !== undefined && isAllowed(remoteAddress, allow)) return [null, socket];
  socket.destroy();
  return [new AddressNotAllowed(`The address ${remoteAddress} is not allowed`), null];
}

function guardedLookup(allow: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const allowed = addresses.filter(({ address }) => isAllowed(address, allow));
      const [first] = allowed;
      if (first === undefined) return callback(refused(hostname, addresses), "");
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function refused(hostname: string, addresses: readonly LookupAddress[]): AddressNotAllowed {
  const all = addresses.map(({ address }) => address).join(", ");
  return new AddressNotAllowed(`${hostname} resolves to ${all}: not allowed`);
}
