import { isIP, isIPv6 } from "node:net";
import { z } from "zod";

/** An entry of `registration.allowed_hosts`, read. */
export type AllowedHost =
  | { readonly kind: "name"; readonly name: string }
  /** A single address is a range of one. */
  | { readonly kind: "range"; readonly address: string; readonly prefix: number };

const NAME = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/;
/** Ends in a number, so URLs take it for an IPv4 address: such a name would never be found. */
const NUMERIC = /(^|\.)(0x[0-9a-f]*|\d+)$/;

/** `undefined` for what is none of them. */
export function readAllowedHost(text: string): AllowedHost | undefined {
  const [address = "", prefix, ...rest] = text.replace(/^\[(.*)\]$/, "$1").split("/");
  if (rest.length > 0) return undefined;
  if (isIP(address) !== 0) return rangeOf(address, prefix);
  const name = text.toLowerCase();
  return NAME.test(name) && !NUMERIC.test(name) ? { kind: "name", name } : undefined;
}

function rangeOf(address: string, prefix: string | undefined): AllowedHost | undefined {
  const most = isIPv6(address) ? 128 : 32;
  if (prefix === undefined) return { kind: "range", address, prefix: most };
  const length = Number(prefix);
  return /^\d{1,3}$/.test(prefix) && length <= most ? { kind: "range", address, prefix: length } : undefined;
}

export const allowedHost = z
  .string()
  .refine(
    (text) => readAllowedHost(text) !== undefined,
    'Expected a host such as "api.example", an address, or a range such as "10.1.0.0/16"; without scheme and port',
  );
