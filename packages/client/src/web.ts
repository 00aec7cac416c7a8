import type { Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { type CommonOptions, clientOver, type ToolgateClient } from "./client.ts";
import { ToolgateClientError } from "./client-error.ts";
import { type ClosableTransport, connectionOver } from "./connection.ts";

export * from "./api.ts";

export interface WebClientOptions extends CommonOptions {
  /** The gateway's HTTP door, such as "http://127.0.0.1:9000"; a path in front of it is kept. */
  readonly baseUrl: string;
  /** "connect" where unset. */
  readonly protocol?: "connect" | "grpc-web";
  /** Another way to the gateway. `close()` closes it too where it can be closed. */
  readonly transport?: Transport | ClosableTransport;
}

/**
 * Makes a client that needs only `fetch`: for browsers, and for every runtime
 * without HTTP/2. A key that a page holds can be read by its visitor.
 */
export function createWebClient(options: WebClientOptions): ToolgateClient {
  const { baseUrl, shown } = readBaseUrl(options.baseUrl);
  const create = options.protocol === "grpc-web" ? createGrpcWebTransport : createConnectTransport;
  const transport = options.transport ?? create({ baseUrl, useBinaryFormat: true });
  return clientOver(connectionOver(transport, shown, "http"), options);
}

function readBaseUrl(text: string): { readonly baseUrl: string; readonly shown: string } {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw refused("Expected a URL with http or https.");
  if (url.username !== "" || url.password !== "") throw refused("It holds a password; use apiKey instead.");
  if (url.search !== "" || url.hash !== "") throw refused("It must end with its path.");
  return { baseUrl: url.href.replace(/\/+$/, ""), shown: url.host };
}

function refused(why: string): ToolgateClientError {
  return new ToolgateClientError("INVALID_ARGUMENT", `The gateway's baseUrl cannot be used. ${why}`, {
    mayHaveRun: false,
  });
}
