import { type Clock, callsToKeep } from "@toolgate/core";
import type { DispatchPorts } from "@toolgate/dispatch";
import { createMemoryLoopHistory } from "@toolgate/stores/memory";
import type { Logger } from "pino";
import type { LoopGuardConfig } from "../config/config.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { sha256 } from "./sha256.ts";

interface LoopGuardParts {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "loop">;
  readonly log: Logger;
}

/** What the line needs to look for loops; nothing where it should not. */
export function createLoopGuard(
  config: LoopGuardConfig | undefined,
  { clock, metrics, log }: LoopGuardParts,
): DispatchPorts["loops"] {
  if (config === undefined) return undefined;
  const { rules, sessions, forgetAfterMs } = config;
  const observer = {
    found: metrics.loop,
    unguarded: (error: unknown, callId: string) =>
      log.error({ error, callId }, "the history of a session could not be asked; the call goes on unguarded"),
  };
  const history = createMemoryLoopHistory({ clock, calls: callsToKeep(rules), sessions, forgetAfterMs });
  return { history, rules, digest: sha256, observer };
}
