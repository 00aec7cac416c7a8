import { type Backend, type CacheObserver, type Clock, cachePolicy, type Tool } from "@toolgate/core";
import type { DispatchPorts } from "@toolgate/dispatch";
import { createMemoryResultCache } from "@toolgate/stores/memory";
import type { GatewayConfig } from "../config/config.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { sha256 } from "./sha256.ts";

export interface ResultCacheParts {
  readonly config: Pick<GatewayConfig, "cache">;
  readonly backends: ReadonlyMap<string, Backend>;
  readonly metrics: Pick<Metrics, "cache">;
  readonly clock: Clock;
}

/** The result cache in this process, under the operator's rules. */
export function openResultCache({ config, backends, metrics, clock }: ResultCacheParts): DispatchPorts["cache"] {
  const results = createMemoryResultCache({ maxBytes: config.cache.maxBytes, clock });
  const observer: CacheObserver = metrics.cache(results);
  const isPrivate = (tool: Tool) => backends.get(tool.backend?.kind ?? "")?.isPrivate(tool) ?? true;
  return { results, digest: sha256, observer, policy: (tool) => cachePolicy(tool, config.cache, isPrivate(tool)) };
}
