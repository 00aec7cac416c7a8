import { create, type DescMethodUnary, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { Client, connectivityState, credentials, Metadata } from "@grpc/grpc-js";
import type { GatewayAddress } from "../address.ts";
import { unaryDefinition } from "../codec.ts";
import { gatewayProblem } from "./gateway-problem.ts";

export interface SendOptions {
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The provider's connection to its gateway. */
export interface GatewayLink {
  /** @throws GatewayProblem and nothing else. */
  send<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    options: SendOptions,
  ): Promise<MessageShape<M["output"]>>;
  /** Hears when a connection that stood is gone. Returns how to stop hearing. */
  onLost(listener: () => void): () => void;
  close(): void;
}

const OPTIONS = {
  // The back-off of the registration decides when to try; the channel's own must not be the longer one (2 min).
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.min_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
  // Finds a connection that died without a word.
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.keepalive_permit_without_calls": 1,
  // A gateway is a neighbour; a proxy of the environment is for the web.
  "grpc.enable_http_proxy": 0,
  "grpc.enable_channelz": 0,
  "grpc.service_config_disable_resolution": 1,
};

/** Opens no connection before the first request. */
export function openGatewayLink({ target, tls }: GatewayAddress, apiKey: string | undefined): GatewayLink {
  const client = new Client(target, tls ? credentials.createSsl() : credentials.createInsecure(), OPTIONS);
  const metadata = new Metadata();
  if (apiKey !== undefined) metadata.set("authorization", `Bearer ${apiKey}`);
  const listeners = new Set<() => void>();
  watchLoss(client.getChannel(), () => {
    for (const listener of [...listeners]) listener();
  });
  return {
    send(method, request, { timeoutMs, signal }) {
      const { path, requestSerialize, responseDeserialize } = unaryDefinition(method);
      return new Promise((resolve, reject) => {
        const call = client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          create(method.input, request) as MessageShape<(typeof method)["input"]>,
          metadata,
          { deadline: Date.now() + timeoutMs },
          (error, response) => {
            signal?.removeEventListener("abort", cancel);
            if (error !== null) reject(gatewayProblem(error, target, timeoutMs));
            else resolve(response as MessageShape<(typeof method)["output"]>);
          },
        );
        const cancel = () => call.cancel();
        signal?.addEventListener("abort", cancel, { once: true });
        if (signal?.aborted) cancel();
      });
    },
    onLost(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => client.close(),
  };
}

/** One watcher for the life of the channel: grpc-js cannot take one back. */
function watchLoss(channel: ReturnType<Client["getChannel"]>, lost: () => void): void {
  const state = channel.getConnectivityState(false);
  if (state === connectivityState.SHUTDOWN) return;
  channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
    if (state === connectivityState.READY) lost();
    watchLoss(channel, lost);
  });
}
