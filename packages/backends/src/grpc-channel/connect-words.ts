import { ADDRESS_NOT_ALLOWED, NOT_ALLOWED_WORDS } from "../address-guard.ts";

/** Plain words for what stops a connection from being made, by the code of the system's error. */
const BY_CODE: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "no local port is free",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "it closed the connection while it was being made",
  EHOSTUNREACH: "no route to the host",
  EMFILE: "this gateway has no file descriptor left",
  ENETUNREACH: "no route to its network",
  EPIPE: "it closed the connection while it was being made",
  EPROTO: "it does not speak TLS on this port",
  ETIMEDOUT: "it does not answer",
};

const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [new RegExp(ADDRESS_NOT_ALLOWED), NOT_ALLOWED_WORDS],
  [/^Name resolution failed/, "its name cannot be resolved"],
  [/certificate has expired/, "its TLS certificate has expired"],
  [/does not match certificate/, "its TLS certificate is for another name"],
  [/in certificate chain|unable to (verify|get)/, "its TLS certificate is signed by an unknown authority"],
  [/self-signed certificate/, "its TLS certificate is self-signed"],
  [/SSL routines|wrong version number/, "it does not speak TLS on this port"],
  [/Failed to connect/, "it closed the connection while it was being made"],
  [/Protocol error/, "it does not speak HTTP/2 on this port"],
  [/^Channel closed/, "this gateway is shutting down"],
];

/** What the details of a status that grpc-js made itself say, without addresses, paths or times. */
export function connectWords(details: string): string {
  const byText = BY_TEXT.find(([pattern]) => pattern.test(details))?.[1];
  const code = /\bE[A-Z]{3,}\b/.exec(details)?.[0];
  return byText ?? (code === undefined ? undefined : BY_CODE[code]) ?? "the connection failed";
}
