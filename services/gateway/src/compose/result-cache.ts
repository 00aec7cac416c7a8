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
  const isPrivate = privacyOf(backends);
  return { results, digest: sha256, observer, policy: (tool) => cachePolicy(tool, config.cache, isPrivate(tool)) };
}

/** Whether a tool's answers are one caller's own, by its backend; also where nobody knows. */
export function privacyOf(backends: ReadonlyMap<string, Backend>): (tool: Tool) => boolean {
  return (tool) => backends.get(tool.backend?.kind ?? "")?.isPrivate(tool) ?? true;
}
