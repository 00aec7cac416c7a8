const DEFAULT_GATEWAY_PORT = "50051";

export interface GatewayAddress {
  /** "host:port", as grpc-js dials it and as it is shown. */
  readonly target: string;
  readonly tls: boolean;
}

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads "127.0.0.1:50051", "gateway", "http://gateway:50051" or "https://…" (TLS).
 * The port is 50051 where none is said.
 *
 * @throws TypeError in words.
 */
export function readGateway(text: string): GatewayAddress {
  const [, scheme, rest = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text.trim()) ?? [];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) {
    throw new TypeError(`The gateway's scheme "${scheme}" is not known; use "HOST:PORT", http:// or https://.`);
  }
  // Whoever writes a password here must not find it in a log.
  if (rest.includes("@")) throw new TypeError("The gateway's address holds an @; use apiKey for a key.");
  const parts = splitHostPort(rest.replace(/\/$/, ""));
  if (parts === undefined || Number(parts.port ?? 0) > 65_535)
    throw new TypeError(`The gateway's address must be "HOST:PORT", not ${quoted(text)}.`);
  const { host, port = DEFAULT_GATEWAY_PORT } = parts;
  return { target: `${bracketed(host)}:${port}`, tls: scheme?.toLowerCase() === "https" };
}

/**
 * Reads "127.0.0.1:0" or "[::1]:9000".
 *
 * @param what the option's name, for errors.
 * @throws TypeError in words.
 */
export function readHostPort(text: string, what: string): HostPort {
  const { host, port } = splitHostPort(text.trim()) ?? {};
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    throw new TypeError(`${what} must be "HOST:PORT" with a port of 0 to 65535, not ${quoted(text)}.`);
  }
  return { host, port: Number(port) };
}

export function hostPort({ host, port }: HostPort): string {
  return `${bracketed(host)}:${port}`;
}

function splitHostPort(text: string): { host: string; port?: string } | undefined {
  const [, v6, name, port] = /^(?:\[([0-9a-f:.%a-z]+)\]|([^\s:/?#[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = v6 ?? name;
  if (host === undefined) return undefined;
  return port === undefined ? { host } : { host, port };
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
