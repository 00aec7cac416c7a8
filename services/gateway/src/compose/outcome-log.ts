import type { RegistrarPorts } from "@toolgate/registrar";
import type { Logger } from "pino";
import type { Metrics } from "../telemetry/metrics.ts";

/** Counts every outcome of a registration, and logs each refusal at error: none is silent. */
export function outcomeLog(metrics: Metrics, log: Logger): RegistrarPorts["onOutcome"] {
  return (outcome, registrant) => {
    metrics.registration(outcome);
    if (outcome.status !== "refused") return;
    const { tool, reason, message } = outcome;
    log.error({ tool: tool.slice(0, 128), reason, registrant: registrant.label }, `a tool was refused: ${message}`);
  };
}
