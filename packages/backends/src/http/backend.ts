import {
  type Backend,
  type DefinitionProblem,
  type Invocation,
  type Reply,
  type Tool,
  type ToolDefinition,
  ToolPlans,
} from "@toolgate/core";
import type { AddressGuard } from "../address-guard.ts";
import { createConnector } from "./connect.ts";
import { Exchange } from "./exchange.ts";
import { givenUp, shuttingDown, type Trip } from "./failures.ts";
import { OriginPools } from "./origin-pool.ts";
import { type HttpPlan, planTool } from "./plan.ts";
import { writeRequest } from "./request.ts";

export interface HttpBackendOptions {
  /** Connections to one origin (scheme, host and port); 64 where unsaid. More calls than that wait. */
  readonly connectionsPerOrigin?: number;
  /** Bound for making a connection, in milliseconds; 5,000 where unsaid. */
  readonly connectTimeoutMs?: number;
  /**
   * Which addresses confined tools (`backend.confined`) may connect to; all
   * where unsaid. Asked for every connection, also for IP literals.
   */
  readonly allowAddress?: AddressGuard;
  /** Certificates of authorities to trust, in PEM, in place of the system's. */
  readonly ca?: string;
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. */
  readonly now?: () => number;
}

const DEFAULT_CONNECTIONS = 64;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;

/**
 * Reaches tools that are HTTP requests. Connections are kept alive and
 * bounded for each origin; redirects are not followed, nothing is sent twice,
 * and the environment's proxy settings are not read.
 */
export function createHttpBackend(options: HttpBackendOptions = {}): Backend {
  const { connectionsPerOrigin = DEFAULT_CONNECTIONS, connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = options;
  const { allowAddress, ca, now = Date.now } = options;
  const poolsWith = (guard: { readonly allowAddress?: AddressGuard }) => {
    const connect = createConnector({ connectTimeoutMs, ...(ca === undefined ? {} : { ca }), ...guard });
    return new OriginPools({ connections: connectionsPerOrigin, connect });
  };
  const free = poolsWith({});
  // Apart: a connection that a free tool has opened must not be lent to a confined one.
  const confined = allowAddress === undefined ? free : poolsWith({ allowAddress });
  return new HttpBackend({ free, confined }, now);
}

interface Pools {
  readonly free: OriginPools;
  readonly confined: OriginPools;
}

class HttpBackend implements Backend {
  readonly kind = "http";
  readonly #pools: Pools;
  readonly #now: () => number;
  readonly #plans = new ToolPlans(planTool);

  constructor(pools: Pools, now: () => number) {
    this.#pools = pools;
    this.#now = now;
  }

  inspect(definition: ToolDefinition): readonly DefinitionProblem[] {
    return planTool(definition).problems;
  }

  async invoke(invocation: Invocation): Promise<Reply> {
    const plan = this.#plans.for(invocation.tool);
    const pools = invocation.tool.backend?.confined ? this.#pools.confined : this.#pools.free;
    const trip = tripOf(invocation, plan, pools.connections);
    if (invocation.signal.aborted) throw givenUp(trip, "connecting");
    if (pools.closed) throw shuttingDown(trip);
    const request = writeRequest(plan, invocation);
    return new Promise((resolve, reject) => {
      new Exchange(trip, request, { resolve, reject }, this.#now).start(pools.for(trip.origin));
    });
  }

  /** Headers of every request are there for credentials, mostly. */
  isPrivate(tool: Tool): boolean {
    return Object.keys(tool.backend?.settings.headers ?? {}).length > 0;
  }

  async close(): Promise<void> {
    const { free, confined } = this.#pools;
    await Promise.all([free.close(), confined.close()]);
  }
}

function tripOf(invocation: Invocation, { template }: HttpPlan, connections: number): Trip {
  return { invocation, tool: invocation.tool, address: template.host, origin: template.origin, connections };
}
