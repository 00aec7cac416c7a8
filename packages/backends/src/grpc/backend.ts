import type { Metadata } from "@grpc/grpc-js";
import {
  type Backend,
  type DefinitionProblem,
  type Invocation,
  isTimeout,
  type Reply,
  type Tool,
  type ToolDefinition,
  ToolgateError,
  ToolPlans,
} from "@toolgate/core";
import type { AddressGuard } from "../address-guard.ts";
import {
  ChannelPool,
  type ChannelSettings,
  failureOf,
  type GrpcChannel,
  isMetadataValue,
  type Trip,
  withTrace,
} from "../grpc-channel/index.ts";
import { replyOf } from "./answer.ts";
import { encodeArguments } from "./arguments.ts";
import { findMethod, type ToolMethod } from "./descriptors/method.ts";
import { ReflectedServices } from "./descriptors/reflected-services.ts";
import type { Reflected } from "./descriptors/reflection.ts";
import { errorOf, noDescriptors, unusable } from "./errors.ts";
import { type GrpcPlan, planTool } from "./plan.ts";

export interface GrpcBackendOptions extends ChannelSettings {
  /** Which addresses confined tools (`backend.confined`) may connect to; all where unsaid. */
  readonly allowAddress?: AddressGuard;
}

/**
 * Reaches tools that are unary methods of gRPC services, with messages
 * described by a descriptor set or by the service's reflection. Nothing is
 * sent twice, unless a live server refused it unread.
 */
export function createGrpcBackend(options: GrpcBackendOptions = {}): Backend {
  const { allowAddress, ...settings } = options;
  const free = new ChannelPool(settings);
  // Apart: a connection that a free tool has opened must not be lent to a confined one.
  const confined = allowAddress === undefined ? free : new ChannelPool({ ...settings, allowAddress });
  return new GrpcBackend({ free, confined });
}

interface Channels {
  readonly free: ChannelPool;
  readonly confined: ChannelPool;
}

class GrpcBackend implements Backend {
  readonly kind = "grpc";
  readonly #channels: Channels;
  readonly #services = new ReflectedServices();
  readonly #plans = new ToolPlans(planTool);

  constructor(channels: Channels) {
    this.#channels = channels;
  }

  inspect(definition: ToolDefinition): readonly DefinitionProblem[] {
    return planTool(definition).problems;
  }

  async invoke(invocation: Invocation): Promise<Reply> {
    const { tool, timeoutMs, signal } = invocation;
    const plan = this.#plans.for(tool);
    const channels = tool.backend?.confined ? this.#channels.confined : this.#channels.free;
    const channel = channels.for(plan.target);
    const trip: Trip = { tool, address: plan.target.address, timeoutMs };
    const startedAt = performance.now();
    const method = plan.method ?? (await this.#reflected(trip, { plan, channel, signal }));
    const end = await channel.call({
      path: `/${plan.name}`,
      message: encodeArguments(method, invocation.args, tool.name),
      metadata: metadataOf(plan, invocation),
      timeoutMs: plan.method === undefined ? timeoutMs - (performance.now() - startedAt) : timeoutMs,
      signal,
    });
    if (end.kind === "answered") return replyOf(trip, end.message, { method, emitDefaults: plan.emitDefaults });
    if (plan.method === undefined && end.kind === "status" && end.status.name === "UNIMPLEMENTED") {
      this.#services.forget(channel, plan.service);
    }
    throw errorOf(trip, end, method.registry);
  }

  /** Metadata of every call is there for credentials, mostly. */
  isPrivate(tool: Tool): boolean {
    return Object.keys(tool.backend?.settings.metadata ?? {}).length > 0;
  }

  async close(): Promise<void> {
    this.#channels.free.close();
    this.#channels.confined.close();
  }

  async #reflected(trip: Trip, { plan, channel, signal }: Asking): Promise<ToolMethod> {
    const reflected = await orAborted(this.#services.find(channel, plan.service), signal);
    if (reflected === undefined)
      throw failureOf(trip, { kind: isTimeout(signal.reason) ? "late" : "cancelled", delivered: false });
    if (reflected.kind !== "linked") throw noDescriptors(trip, reflected);
    if (!reflected.linked.ok) throw unusable(trip, `its reflection is of no use: ${reflected.linked.why}.`);
    const found = findMethod(reflected.linked.registry, plan.name);
    if (found.ok) return found.method;
    this.#services.forget(channel, plan.service);
    throw unusable(trip, found.why);
  }
}

interface Asking {
  readonly plan: GrpcPlan;
  readonly channel: GrpcChannel;
  readonly signal: AbortSignal;
}

function metadataOf(
  { metadata, idempotencyKey: key }: GrpcPlan,
  { trace, tool, idempotencyKey }: Invocation,
): Metadata {
  const traced = withTrace(metadata, trace);
  if (key === undefined || idempotencyKey === undefined) return traced;
  if (!isMetadataValue(idempotencyKey)) {
    const message = `The idempotency key of "${tool.name}" cannot be sent: expected printable ASCII.`;
    throw new ToolgateError("INVALID_ARGUMENT", message);
  }
  const keyed = traced.clone();
  keyed.set(key, idempotencyKey);
  return keyed;
}

/** `undefined` where the signal aborts first. */
function orAborted(asking: Promise<Reflected>, signal: AbortSignal): Promise<Reflected | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const abort = () => resolve(undefined);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([asking, promise]).finally(() => signal.removeEventListener("abort", abort));
}
