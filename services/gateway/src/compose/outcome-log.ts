import type { RegistrarPorts } from "@toolgate/registrar";
import type { Logger } from "pino";
import type { LastErrors } from "../telemetry/last-errors.ts";
import type { Metrics } from "../telemetry/metrics.ts";

export interface OutcomeHearers {
  readonly metrics: Metrics;
  readonly lastErrors: LastErrors;
  readonly log: Logger;
}

/** Counts every outcome of a registration, and logs each refusal at error: none is silent. */
export function outcomeLog({ metrics, lastErrors, log }: OutcomeHearers): RegistrarPorts["onOutcome"] {
  return (outcome, registrant) => {
    metrics.registration(outcome);
    lastErrors.registration(outcome, registrant);
    if (outcome.status !== "refused") return;
    const { tool, reason, message } = outcome;
    log.error({ tool: tool.slice(0, 128), reason, registrant: registrant.label }, `a tool was refused: ${message}`);
  };
}
