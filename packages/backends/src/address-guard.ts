/**
 * Whether a connection to this IP address may be made. IPv6 addresses that
 * stand for an IPv4 address come as that (see {@link plainAddress}).
 */
export type AddressGuard = (ip: string) => boolean;

/** What backends say of a connection that a guard refused; which address it was is for the log alone. */
export const ADDRESS_NOT_ALLOWED = "ADDRESS_NOT_ALLOWED";
export const NOT_ALLOWED_WORDS = "it leads to an address that this gateway may not connect to";

/** The guard said no; the message names the address, so it is for the log alone. */
export class AddressNotAllowed extends Error {
  override readonly name = "AddressNotAllowed";
  readonly code = ADDRESS_NOT_ALLOWED;
}

export function isAllowed(ip: string, allow: AddressGuard): boolean {
  return allow(plainAddress(ip));
}

/** IPv4 within IPv6: mapped (RFC 4291, 2.5.5.2), or behind the well-known prefix of NAT64 (RFC 6052, 2.1). */
const WITHIN_IPV6 = "(?:::ffff:|64:ff9b::)";
const DOTTED = new RegExp(`^${WITHIN_IPV6}(\\d+\\.\\d+\\.\\d+\\.\\d+)$`, "i");
const HEX = new RegExp(`^${WITHIN_IPV6}([0-9a-f]{1,4}):([0-9a-f]{1,4})$`, "i");

/** "::ffff:7f00:1" and "::ffff:127.0.0.1" are 127.0.0.1. */
export function plainAddress(ip: string): string {
  const dotted = DOTTED.exec(ip)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = HEX.exec(ip);
  if (hex === null) return ip;
  const [high, low] = [Number.parseInt(hex[1] as string, 16), Number.parseInt(hex[2] as string, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
