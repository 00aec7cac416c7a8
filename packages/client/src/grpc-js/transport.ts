import type { DescMessage, DescMethodStreaming, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import {
  type ContextValues,
  createContextValues,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { createMethodUrl, runStreamingCall, runUnaryCall } from "@connectrpc/connect/protocol";
import { type ChannelCredentials, type ChannelOptions, Client, credentials } from "@grpc/grpc-js";
import { DEFAULT_ADDRESS, readAddress } from "../address.ts";
import { type ClosableTransport, MAX_ANSWER_BYTES } from "../connection.ts";
import { openServerStream } from "./server-stream.ts";
import { sendUnary } from "./unary.ts";

export interface GrpcJsOptions {
  /** TLS for an https address and none otherwise, where unset. */
  readonly credentials?: ChannelCredentials;
  /** More options of grpc-js's channel; they win over those of this transport. */
  readonly channelOptions?: ChannelOptions;
}

const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": MAX_ANSWER_BYTES,
  // Closing this transport closes its connection, and nobody else's.
  "grpc.use_local_subchannel_pool": 1,
  // A connection that died without a word is found while requests wait on it.
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  // A gateway that was restarted is found again soon; grpc-js's own bound is 2 minutes.
  "grpc.initial_reconnect_backoff_ms": 250,
  "grpc.max_reconnect_backoff_ms": 5_000,
  // Neither a proxy for the way out nor a TXT record may lead a call, and its key, elsewhere.
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
};

/**
 * Connect's `Transport` over a channel of grpc-js, for those who want its ways
 * with names that have many addresses. A request that the gateway provably did
 * not read may be sent again by the channel; no other is. Give it to
 * `createClient`, whose `close()` closes it.
 *
 * @param address as for `createClient`; opens no connection before the first request.
 * @throws ToolgateClientError INVALID_ARGUMENT for an address that is none.
 */
export function createGrpcJsTransport(
  address: string = DEFAULT_ADDRESS,
  options: GrpcJsOptions = {},
): ClosableTransport {
  const { baseUrl, shown } = readAddress(address);
  const { hostname, port, protocol } = new URL(baseUrl);
  const isSecure = protocol === "https:";
  const target = `dns:${hostname}:${port || (isSecure ? "443" : "80")}`;
  const channelCredentials = options.credentials ?? (isSecure ? credentials.createSsl() : credentials.createInsecure());
  const client = new Client(target, channelCredentials, { ...CHANNEL_OPTIONS, ...options.channelOptions });
  return new GrpcJsTransport(client, baseUrl, shown);
}

class GrpcJsTransport implements ClosableTransport {
  readonly address: string;
  readonly #client: Client;
  readonly #baseUrl: string;

  constructor(client: Client, baseUrl: string, address: string) {
    this.#client = client;
    this.#baseUrl = baseUrl;
    this.address = address;
  }

  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    ...[signal, timeoutMs, header, message, values]: CallParts<MessageInitShape<I>>
  ): Promise<UnaryResponse<I, O>> {
    const next = (request: UnaryRequest<I, O>) => sendUnary(this.#client, request, timeoutMs);
    const req = { stream: false as const, method, message, ...this.#common(method, header, values) };
    return runUnaryCall<I, O>({ req, next, ...bounds(signal, timeoutMs) });
  }

  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodStreaming<I, O>,
    ...[signal, timeoutMs, header, message, values]: CallParts<AsyncIterable<MessageInitShape<I>>>
  ): Promise<StreamResponse<I, O>> {
    const next = (request: StreamRequest<I, O>) => openServerStream(this.#client, request, timeoutMs);
    const req = { stream: true as const, method, message, ...this.#common(method, header, values) };
    return runStreamingCall<I, O>({ req, next, ...bounds(signal, timeoutMs) });
  }

  close(): void {
    this.#client.close();
  }

  #common(method: DescMethodUnary | DescMethodStreaming, header: HeaderInit, values?: ContextValues) {
    return {
      service: method.parent,
      requestMethod: "POST",
      url: createMethodUrl(this.#baseUrl, method),
      header: new Headers(header),
      contextValues: values ?? createContextValues(),
    };
  }
}

type HeaderInit = ConstructorParameters<typeof Headers>[0];

/** What Connect hands to a transport besides the method. */
type CallParts<M> = [
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  header: HeaderInit,
  message: M,
  values?: ContextValues,
];

function bounds(signal: AbortSignal | undefined, timeoutMs: number | undefined) {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined || timeoutMs <= 0 ? {} : { timeoutMs }),
  };
}
