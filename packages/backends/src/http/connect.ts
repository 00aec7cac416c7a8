import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, type Connector } from "./undici.ts";

/** Whether a connection to this IP address may be made. IPv4-mapped IPv6 addresses come as IPv4. */
export type AddressGuard = (ip: string) => boolean;

export interface ConnectOptions {
  readonly connectTimeoutMs: number;
  /** Every address may be reached where unsaid. */
  readonly allowAddress?: AddressGuard;
  /** Certificates of authorities to trust, in PEM, in place of the system's. */
  readonly ca?: string;
}

/** The guard said no; the message names the address, so it is for the log alone. */
class AddressNotAllowed extends Error {
  override readonly name = "AddressNotAllowed";
  readonly code = "ADDRESS_NOT_ALLOWED";
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

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const MAPPED_IPV4_HEX = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i;

function isAllowed(ip: string, allow: AddressGuard): boolean {
  return allow(unmapped(ip));
}

/** "::ffff:7f00:1" and "::ffff:127.0.0.1" are 127.0.0.1 (RFC 4291, 2.5.5.2). */
export function unmapped(ip: string): string {
  const dotted = MAPPED_IPV4.exec(ip)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = MAPPED_IPV4_HEX.exec(ip);
  if (hex === null) return ip;
  const [high, low] = [Number.parseInt(hex[1] as string, 16), Number.parseInt(hex[2] as string, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
