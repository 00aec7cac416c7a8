import { ToolgateClientError } from "./client-error.ts";

const DEFAULT_PORT = "50051";
export const DEFAULT_ADDRESS = `127.0.0.1:${DEFAULT_PORT}`;

export interface GatewayAddress {
  /** For the transport: "http://127.0.0.1:50051". */
  readonly baseUrl: string;
  /** For people: "127.0.0.1:50051". */
  readonly shown: string;
}

/**
 * Reads "127.0.0.1:50051", "gateway", "[::1]:50051", "http://…" or "https://…".
 * The port is 50051 where none is said and there is no scheme.
 *
 * @throws ToolgateClientError INVALID_ARGUMENT in words.
 */
export function readAddress(address: string): GatewayAddress {
  const text = address.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    throw refused(address, `The scheme "${scheme}" is not known; use http or https, or none.`);
  }
  const url = URL.parse(scheme === undefined ? `http://${text}` : text);
  if (url === null || url.hostname === "") throw refused(address, 'Expected "HOST:PORT" or "http://HOST:PORT".');
  if (url.username !== "" || url.password !== "") throw refused(undefined, "It holds a password; use apiKey instead.");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw refused(address, "gRPC knows no path; name the host and the port only.");
  }
  // A URL without port means 80; only where a scheme was written is that what was meant.
  if (url.port === "" && scheme === undefined && !/:80$/.test(text)) url.port = DEFAULT_PORT;
  return { baseUrl: url.origin, shown: url.host };
}

function refused(address: string | undefined, why: string): ToolgateClientError {
  const shown = address === undefined ? "" : ` ${JSON.stringify(address.slice(0, 200))}`;
  return new ToolgateClientError("INVALID_ARGUMENT", `The gateway's address${shown} cannot be used. ${why}`, {
    mayHaveRun: false,
  });
}
