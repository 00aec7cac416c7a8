import { BlockList, isIP, isIPv6 } from "node:net";
import { readAllowedHost } from "../config/allowed-host.ts";

/** Where tools that register themselves may lead. */
export interface AllowedHosts {
  /** As somebody writes it: a name, or an IP address without brackets. */
  allowsHost(host: string): boolean;
  /** To which a connection is about to be made, whatever it was named. */
  allowsAddress(ip: string): boolean;
}

type Range = readonly [address: string, prefix: number];

const LOOPBACK: readonly Range[] = [
  ["127.0.0.0", 8],
  ["::1", 128],
];

/**
 * Where no name may lead unless the address itself is allowed: this machine,
 * this network segment and those who answer on it for the cloud, and what is
 * no single machine. From the registries of special-purpose addresses
 * (RFC 6890), and the documents of the clouds for their metadata services.
 */
const NEVER_BY_NAME: readonly Range[] = [
  ...LOOPBACK,
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["192.0.0.0", 24],
  ["224.0.0.0", 3],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["::", 96],
  ["fe80::", 10],
  ["ff00::", 8],
  ["fd00:ec2::", 64],
];

/**
 * Reads `registration.allowed_hosts`. A name that is allowed may lead to any
 * address, private ones too, since it was the operator who allowed it; but to
 * this machine or to a metadata service only where that address is allowed
 * itself. "localhost" allows this machine.
 */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const names = new Set<string>();
  const listed = new BlockList();
  for (const entry of entries) {
    const host = readAllowedHost(entry);
    if (host?.kind === "name") names.add(host.name);
    if (host?.kind === "range") add(listed, [host.address, host.prefix]);
  }
  const never = new BlockList();
  for (const range of NEVER_BY_NAME) add(never, range);
  const loopback = new BlockList();
  if (names.has("localhost")) for (const range of LOOPBACK) add(loopback, range);
  return {
    allowsHost: (host) => (isIP(host) === 0 ? names.has(host.toLowerCase()) : has(listed, host)),
    allowsAddress: (text) => {
      // A zone is of no account: such addresses are link-local.
      const ip = text.split("%", 1)[0] as string;
      if (isIP(ip) === 0) return false;
      return has(listed, ip) || has(loopback, ip) || (names.size > 0 && !has(never, ip));
    },
  };
}

function add(list: BlockList, [address, prefix]: Range): void {
  list.addSubnet(address, prefix, familyOf(address));
}

function has(list: BlockList, ip: string): boolean {
  return list.check(ip, familyOf(ip));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
