import type { Transport } from "@connectrpc/connect";
import { AdminService, type ListToolsResponse, ToolGatewayService } from "@toolgate/contract";
import { readAddress } from "./address.ts";
import { type GatewayStatus, type ReloadResult, reloadResultOf, statusOf } from "./admin.ts";
import { type CallOptions, type CallTarget, callRequest } from "./call-request.ts";
import { openConnection } from "./connection.ts";
import type { JsonValue } from "./json.ts";
import { allPages, type ListPageOptions, listRequest } from "./list-pages.ts";
import { type ToolFilter, type ToolList, toolListOf } from "./listing.ts";
import { Requester, type RequestOptions } from "./requester.ts";
import { type CallResult, resultOf } from "./result.ts";

export interface ClientOptions {
  /** "HOST:PORT", or a URL with http or https; 127.0.0.1:50051 where unset. */
  readonly address?: string;
  /** Goes with every request, and into no error message. */
  readonly apiKey?: string;
  /** Another way to the gateway, such as one in memory; `close()` leaves it open. */
  readonly transport?: Transport;
  /** Milliseconds; 60,000 where unset. */
  readonly defaultTimeoutMs?: number;
}

/**
 * One gateway, seen from an agent. Every method rejects with a
 * ToolgateClientError and nothing else. Nothing is ever sent twice.
 */
export interface ToolgateClient {
  /**
   * Runs a tool. A tool that fails is a result too, with `status: "error"`.
   *
   * @param args an object (a `bigint` keeps its digits), or the JSON text of
   * one, which is sent as it is.
   */
  call<T = JsonValue>(target: CallTarget, args?: object | string, options?: CallOptions): Promise<CallResult<T>>;
  /** All tools that fit, over all pages. */
  listTools(filter?: ToolFilter, options?: RequestOptions): Promise<ToolList>;
  /** One page, as the message that came. */
  listToolsPage(filter?: ToolFilter, options?: ListPageOptions): Promise<ListToolsResponse>;
  /** Makes the gateway read its files again. For operators. */
  reload(options?: RequestOptions): Promise<ReloadResult>;
  /** How the gateway is. For operators. */
  status(options?: RequestOptions): Promise<GatewayStatus>;
  /** Ends the connection, and requests that still wait with CANCELLED. */
  close(): void;
}

const DEFAULT_ADDRESS = "127.0.0.1:50051";
const DEFAULT_TIMEOUT_MS = 60_000;
/** Makes a client. Opens no connection before the first request. */
export function createClient(options: ClientOptions = {}): ToolgateClient {
  const { baseUrl, shown } = readAddress(options.address ?? DEFAULT_ADDRESS);
  const connection =
    options.transport === undefined ? openConnection(baseUrl) : { transport: options.transport, close: () => {} };
  const requester = new Requester({
    transport: connection.transport,
    address: shown,
    apiKey: options.apiKey,
    defaultTimeoutMs: options.defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS,
  });
  const page = (filter: ToolFilter = {}, pageOptions: ListPageOptions = {}) =>
    requester.send(ToolGatewayService.method.listTools, listRequest(filter, pageOptions), pageOptions);
  return {
    async call<T>(target: CallTarget, args: object | string = {}, callOptions: CallOptions = {}) {
      const request = callRequest(target, args, callOptions);
      const { envelope } = await requester.send(ToolGatewayService.method.call, request, callOptions);
      return resultOf<T>(envelope);
    },
    listTools: async (filter, listOptions) =>
      toolListOf(await allPages((options) => page(filter, options), listOptions)),
    listToolsPage: page,
    reload: async (options) => reloadResultOf(await requester.send(AdminService.method.reload, {}, options)),
    status: async (options) => statusOf(await requester.send(AdminService.method.getStatus, {}, options)),
    close() {
      requester.close();
      connection.close();
    },
  };
}
