import type { Clock } from "@toolgate/core";
import type { LimitPorts } from "@toolgate/dispatch";
import { createMemoryLimitStore } from "@toolgate/stores/memory";
import type { Logger } from "pino";
import type { GatewayConfig } from "../config/config.ts";
import { shadowLog } from "../telemetry/limit-log.ts";
import type { Metrics } from "../telemetry/metrics.ts";

export interface CreateLimitsPorts {
  readonly config: Pick<GatewayConfig, "limits">;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "limits">;
  readonly log: Logger;
}

/** The limits as configured, counted in this process; what they decide goes to metrics and log. */
export function createLimits({ config, clock, metrics, log }: CreateLimitsPorts): LimitPorts {
  const shadow = shadowLog(log, clock);
  return {
    rules: config.limits,
    store: createMemoryLimitStore({ clock }),
    observer: {
      decided(decision) {
        metrics.limits.decided(decision);
        shadow.decided(decision);
      },
      waiting: metrics.limits.waiting,
    },
  };
}
