import {
  type Backend,
  type DefinitionProblem,
  type Invocation,
  type Reply,
  settingsPath,
  type ToolDefinition,
  type ToolgateError,
} from "@toolgate/core";
import {
  ChannelPool,
  type ChannelSettings,
  type GrpcChannel,
  NO_METADATA,
  receiveLimitFor,
  type Trip,
  type UnaryEnd,
  withTrace,
} from "../grpc-channel/index.ts";
import { replyOf } from "./answer.ts";
import { errorOf, nobodyThere } from "./errors.ts";
import { type Choice, Instances, type Reachable } from "./instances.ts";
import { encodeInvoke } from "./request.ts";

/** The connections to providers, one for each address; shared by the backend and the probe. */
export type ProviderClients = ChannelPool;

export function createProviderClients(settings: ChannelSettings = {}): ProviderClients {
  return new ChannelPool(settings);
}

export interface ProviderBackendOptions extends ChannelSettings {
  /** Connections to share with others; the backend closes them with itself. Its own where unset. */
  readonly clients?: ProviderClients;
}

const INVOKE = "/toolgate.v1.ToolProviderService/Invoke";

/**
 * Reaches tools that registered processes serve through ToolProviderService.
 * Of several instances the least busy is called. A call that was provably not
 * delivered goes on to another instance; nothing is ever sent twice.
 */
export function createProviderBackend(options: ProviderBackendOptions = {}): Backend {
  const { clients = createProviderClients(options), now = () => performance.now() } = options;
  return new ProviderBackend(clients, now);
}

class ProviderBackend implements Backend {
  readonly kind = "provider";
  readonly #clients: ProviderClients;
  readonly #now: () => number;
  readonly #instances: Instances;

  constructor(clients: ProviderClients, now: () => number) {
    this.#clients = clients;
    this.#now = now;
    this.#instances = new Instances(now);
  }

  /** Whether the registration has an address, the registrar says. */
  inspect({ backend }: ToolDefinition): readonly DefinitionProblem[] {
    return Object.keys(backend?.settings ?? {}).map((key) => ({
      path: settingsPath(key),
      message: "A tool that its process serves itself has no settings.",
    }));
  }

  async invoke(invocation: Invocation): Promise<Reply> {
    const { tool, timeoutMs } = invocation;
    const all = invocation.instances.filter(hasAddress);
    if (all.length === 0) throw nobodyThere(tool, { addresses: [], words: "none is registered with an address" });
    const message = encodeInvoke(invocation);
    const metadata = withTrace(NO_METADATA, invocation.trace);
    const startedAt = this.#now();
    const failures: string[] = [];
    for (let left = all; ; ) {
      const choice = left.length === 0 ? undefined : this.#instances.choose(left);
      if (choice?.kind !== "instance") throw outage(invocation, { all, failures, choice });
      this.#findOut(choice.due, tool.response.maxBytes);
      const { instance } = choice;
      const remainingMs = timeoutMs - (this.#now() - startedAt);
      const request = { path: INVOKE, message, metadata, timeoutMs: remainingMs, signal: invocation.signal };
      const end = await this.#call(instance, this.#channel(instance, tool.response.maxBytes), request);
      const trip: Trip = { tool, address: instance.address, timeoutMs };
      if (end.kind === "answered") return replyOf(trip, end.message);
      if (end.kind !== "undelivered") throw errorOf(trip, end);
      failures.push(end.words);
      left = left.filter((other) => other !== instance);
    }
  }

  /** A provider is told who calls. */
  isPrivate(): boolean {
    return true;
  }

  async close(): Promise<void> {
    this.#clients.close();
  }

  async #call(
    instance: Reachable,
    channel: GrpcChannel,
    request: Parameters<GrpcChannel["call"]>[0],
  ): Promise<UnaryEnd> {
    this.#instances.enter(instance);
    const end = await channel.call(request);
    this.#instances.leave(instance);
    if (end.kind === "undelivered") this.#instances.unreachable(instance, end.words);
    else if (end.kind === "late" && !end.delivered) this.#instances.unreachable(instance, "it does not answer");
    else if (end.kind !== "closed" && (!("delivered" in end) || end.delivered)) this.#instances.reached(instance);
    return end;
  }

  /** Whether those that were out are back: found out without a call that would have to wait for it. */
  #findOut(due: readonly Reachable[], maxBytes: number): void {
    for (const instance of due) {
      this.#instances.trying(instance);
      void this.#channel(instance, maxBytes)
        .connect()
        .then((isThere) => {
          if (isThere) this.#instances.reached(instance);
          else this.#instances.unreachable(instance, "it cannot be reached");
        });
    }
  }

  #channel({ address }: Reachable, maxBytes: number): GrpcChannel {
    return this.#clients.for({ address, tls: false, receiveLimit: receiveLimitFor(maxBytes) });
  }
}

function hasAddress(instance: Invocation["instances"][number]): instance is Reachable {
  return instance.address !== undefined && instance.address !== "";
}

interface Attempts {
  readonly all: readonly Reachable[];
  /** Of this call, in words. */
  readonly failures: readonly string[];
  readonly choice: Choice | undefined;
}

function outage({ tool }: Invocation, { all, failures, choice }: Attempts): ToolgateError {
  const known = choice?.kind === "all-out" ? [choice.words] : [];
  const words = [...new Set([...failures, ...known])].join("; ");
  const extra = choice?.kind === "all-out" && failures.length === 0 ? { retryAfterMs: choice.waitMs } : {};
  return nobodyThere(tool, { addresses: all.map(({ address }) => address), words, ...extra });
}
