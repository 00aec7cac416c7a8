import type { ClientErrorCode } from "./client-error.ts";
import type { Door } from "./connection.ts";

/** An answer that is not one of the protocol. */
export interface ForeignAnswer {
  readonly code: ClientErrorCode;
  readonly message: string;
  readonly mayHaveRun: boolean;
}

/** How people find the right port. */
export const PORTS: Readonly<Record<Door, string>> = {
  grpc: "the gateway's gRPC door (50051 by default)",
  http: "the gateway's HTTP door (9000 by default)",
};

/** What a refusal means where it comes without words, as those of the HTTP door do. */
export const WORDLESS: Partial<Record<ClientErrorCode, string>> = {
  UNAUTHENTICATED: "The gateway does not know this API key, or needs one.",
  PERMISSION_DENIED: "The gateway does not allow this. A web page's origin must be among its allowed_origins.",
  MESSAGE_TOO_LARGE: "The request is larger than the gateway reads.",
  UNAVAILABLE: "The gateway is stopping or busy. Try again in a moment.",
};

/** HTTP statuses with which a gateway refuses a request before it speaks the protocol. */
const REFUSALS: Readonly<Record<string, ClientErrorCode>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  413: "MESSAGE_TOO_LARGE",
};

/** Something answered, but not as a gateway: another service on that port, or a proxy that has lost its gateway. */
export function foreignAnswer(text: string, address: string, door: Door): ForeignAnswer | undefined {
  const status = /\bHTTP (?:status code )?(\d{3})\b/.exec(text)?.[1];
  const refusal = door === "http" ? REFUSALS[status ?? ""] : undefined;
  if (refusal !== undefined) return { code: refusal, message: WORDLESS[refusal] as string, mayHaveRun: false };
  if (status !== undefined && /^(5\d\d|429)$/.test(status)) {
    const message = `What answers at ${address} is not a gateway: HTTP ${status}. Is it a proxy whose gateway is down?`;
    return { code: "UNAVAILABLE", message, mayHaveRun: true };
  }
  const other = /Protocol error|unsupported content type|wrong version number|PROTOCOL_ERROR/.test(text);
  if (status === undefined && !other) return undefined;
  const got = status === undefined ? "" : ` (HTTP ${status})`;
  const speaks = door === "grpc" ? "gRPC" : "Toolgate's protocol";
  const message = `${address} answers, but it does not speak ${speaks}${got}. Is that the port of ${PORTS[door]}?`;
  return { code: "UNAVAILABLE", message, mayHaveRun: false };
}
