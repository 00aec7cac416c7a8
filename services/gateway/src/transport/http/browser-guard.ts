import { isIP } from "node:net";
import { DoorError } from "../door-error.ts";

/** Whether only this machine can reach an address. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (name === "localhost" || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

/**
 * Keeps web pages from using a gateway on their visitor's own machine: a page
 * may name its own host for 127.0.0.1 (DNS rebinding), and may send requests
 * with its origin. Programs send neither.
 *
 * @param allowedOrigins such as "https://console.example", welcome beside pages from this machine
 * @throws DoorError PERMISSION_DENIED
 */
export function refuseForeignPages(
  headers: { host?: string | undefined; origin?: string | undefined },
  allowedOrigins: readonly string[] = [],
): void {
  const host = hostName(`http://${headers.host ?? ""}`);
  if (host === undefined || !isLoopbackHost(host)) {
    throw new DoorError(
      "PERMISSION_DENIED",
      "This gateway listens on loopback and answers only requests whose Host is localhost.",
    );
  }
  if (headers.origin !== undefined && !isWelcome(headers.origin, allowedOrigins)) {
    throw new DoorError(
      "PERMISSION_DENIED",
      "This gateway does not answer web pages of other sites. Add the page's origin to allowed_origins to change that.",
    );
  }
}

/** Pages from this machine, and from origins that the operator named. */
export function isWelcome(origin: string, allowedOrigins: readonly string[]): boolean {
  const host = hostName(origin);
  return allowedOrigins.includes(origin) || (host !== undefined && isLoopbackHost(host));
}

function hostName(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}
