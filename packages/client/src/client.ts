import { type ListToolsResponse, ToolGatewayService } from "@toolgate/contract";
import { type OperatorMethods, operatorMethods } from "./admin.ts";
import { type CallManyOptions, type CallOutcome, callMany, type ToolCall } from "./call-many.ts";
import { type CallOptions, type CallTarget, callRequest } from "./call-request.ts";
import type { Connection } from "./connection.ts";
import { settleDelegated, type ToolHandlers } from "./delegated.ts";
import type { JsonValue } from "./json.ts";
import { allPages, type ListPageOptions, listRequest } from "./list-pages.ts";
import { type ToolFilter, type ToolList, toolListOf } from "./listing.ts";
import { type Outcome, OutcomeReports } from "./outcome.ts";
import { eitherOf, Requester, type RequestOptions } from "./requester.ts";
import { type CallResult, resultOf } from "./result.ts";
import type { CallRest, OpenName, ToolArgs, ToolName, ToolResult } from "./tool-map.ts";
import type { ToolsetEvent } from "./watch/events.ts";
import { checkHeartbeat, DEFAULT_HEARTBEAT_MS, type WatchOptions, watch } from "./watch/watch.ts";

/** What every client can be given, whatever its transport. */
export interface CommonOptions {
  /** Goes with every request, and into no error message. */
  readonly apiKey?: string;
  /** Milliseconds; 60,000 where unset. */
  readonly defaultTimeoutMs?: number;
  /** Run the tools that the gateway hands back ("delegated"), by name; `call` then gives their results. */
  readonly handlers?: ToolHandlers;
  /** Whether the gateway is told how they ended, for its audit log; a result waits up to 2 s for that. True where unset. */
  readonly reportOutcomes?: boolean;
}

/**
 * One gateway, seen from an agent. Every method rejects with a
 * ToolgateClientError and nothing else. Nothing is ever sent twice.
 */
export interface ToolgateClient extends OperatorMethods {
  /**
   * Runs a tool. A tool that fails is a result too, with `status: "error"`.
   *
   * @param args an object (a `bigint` keeps its digits), or the JSON text of
   * one, which is sent as it is.
   */
  call<T = JsonValue, N extends string = string>(
    target: (N & OpenName<N>) | Exclude<CallTarget, string>,
    args?: object | string,
    options?: CallOptions,
  ): Promise<CallResult<T>>;
  /** The same for a tool that the compiler knows, through generated types. */
  call<N extends ToolName>(tool: N, ...rest: CallRest<ToolArgs<N>, CallOptions>): Promise<CallResult<ToolResult<N>>>;
  /**
   * Runs calls side by side, with bounded concurrency. The outcomes are in
   * the order of the calls. Never rejects for a call: what `call` would reject
   * with is an outcome, so no result that is there is lost.
   */
  callMany(calls: readonly ToolCall[], options?: CallManyOptions): Promise<CallOutcome[]>;
  /** All tools that fit, over all pages. */
  listTools(filter?: ToolFilter, options?: RequestOptions): Promise<ToolList>;
  /** One page, as the message that came. */
  listToolsPage(filter?: ToolFilter, options?: ListPageOptions): Promise<ListToolsResponse>;
  /**
   * The toolsets, and then every change. Connects again by itself and goes on
   * where it stopped; a gateway that lost its history starts with `reset`.
   * Reads on only when the next event is asked for. Ends without an error by
   * the signal and by `close()`. Throws a ToolgateClientError where no gateway
   * was reached at first, and where the gateway refuses the watch; at once,
   * INVALID_ARGUMENT, for a heartbeat out of bounds.
   */
  watchToolsets(options?: WatchOptions): AsyncGenerator<ToolsetEvent, void, undefined>;
  /**
   * Tells the gateway how a call ended that it handed back, for its audit log;
   * once, within an hour. Answers whether it knew the call. `handlers` do this
   * by themselves.
   */
  reportOutcome(outcome: Outcome, options?: RequestOptions): Promise<boolean>;
  /** Ends the connection, watches, and requests that still wait with CANCELLED. */
  close(): void;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** A client over any way to a gateway. */
export function clientOver(connection: Connection, options: CommonOptions): ToolgateClient {
  const { apiKey, defaultTimeoutMs = DEFAULT_TIMEOUT_MS, handlers = {}, reportOutcomes = true } = options;
  const requester = new Requester(connection, { apiKey, defaultTimeoutMs });
  const reports = new OutcomeReports(requester, reportOutcomes);
  const { listTools, call: callMethod } = ToolGatewayService.method;
  const page = (filter: ToolFilter = {}, pageOptions: ListPageOptions = {}) =>
    requester.send(listTools, listRequest(filter, pageOptions), pageOptions);
  const call = async <T>(target: CallTarget, args: object | string = {}, callOptions: CallOptions = {}) => {
    const { envelope } = await requester.send(callMethod, callRequest(target, args, callOptions), callOptions);
    const result = resultOf<T>(envelope);
    if (result.status !== "delegated") return result;
    const signal = eitherOf(callOptions.signal, requester.closed);
    return settleDelegated<T>(result, handlers, { ...callOptions, signal, reports });
  };
  return {
    call,
    callMany: (calls, manyOptions = {}) => callMany(calls, manyOptions, call),
    listTools: async (filter, listOptions) =>
      toolListOf(await allPages((pageOptions) => page(filter, pageOptions), listOptions)),
    listToolsPage: page,
    watchToolsets: (watchOptions) => watchOver(requester, watchOptions),
    reportOutcome: (outcome, requestOptions) => reports.send(outcome, requestOptions),
    ...operatorMethods(requester),
    close() {
      requester.close();
      connection.close();
    },
  };
}

function watchOver(requester: Requester, options: WatchOptions = {}): AsyncGenerator<ToolsetEvent, void, undefined> {
  checkHeartbeat(options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS);
  const ports = {
    open: (request: Parameters<typeof requester.receive>[1], signal: AbortSignal) =>
      requester.receive(ToolGatewayService.method.watchToolsets, request, signal),
    after(ms: number, run: () => void) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: Math.random,
  };
  return watch(ports, options, eitherOf(options.signal, requester.closed));
}
