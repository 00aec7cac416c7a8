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
 * @throws DoorError PERMISSION_DENIED
 */
export function refuseForeignPages(headers: { host?: string | undefined; origin?: string | undefined }): void {
  const host = hostName(`http://${headers.host ?? ""}`);
  if (host === undefined || !isLoopbackHost(host)) {
    throw new DoorError(
      "PERMISSION_DENIED",
      "This gateway listens on loopback and answers only requests whose Host is localhost.",
    );
  }
  if (headers.origin === undefined) return;
  const origin = hostName(headers.origin);
  if (origin === undefined || !isLoopbackHost(origin)) {
    throw new DoorError(
      "PERMISSION_DENIED",
      "This gateway listens on loopback and does not answer web pages of other sites.",
    );
  }
}

function hostName(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}
