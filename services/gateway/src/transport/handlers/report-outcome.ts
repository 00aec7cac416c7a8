import { create } from "@bufbuild/protobuf";
import { type ReportOutcomeRequest, type ReportOutcomeResponse, ReportOutcomeResponseSchema } from "@toolgate/contract";
import { type AuditEntry, type Clock, type DelegatedCalls, EMPTY_AUDIT_ENTRY } from "@toolgate/core";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "./context.ts";

export interface ReportOutcomePorts {
  readonly delegated: DelegatedCalls;
  readonly clock: Pick<Clock, "now">;
  /** Takes the outcome for the audit log. */
  readonly audit: (entry: AuditEntry) => void;
  /** Counts what was reported. */
  readonly count: (outcome: "success" | "error" | "unknown") => void;
}

const CODE = /^[A-Z0-9_]{1,64}$/;
const MAX_LATENCY_MS = 366 * 86_400_000;

/** ReportOutcome: how a call ended that its caller ran itself; once, by that caller alone. */
export function reportOutcomeHandler({ delegated, clock, audit, count }: ReportOutcomePorts) {
  return async (request: ReportOutcomeRequest, { caller, door }: RequestContext): Promise<ReportOutcomeResponse> => {
    const outcome = outcomeOf(request);
    const call = await delegated.take(caller.id, request.callId);
    count(call === undefined ? "unknown" : outcome.status);
    if (call !== undefined) {
      const time = Math.round(clock.now() - outcome.latencyMs);
      audit({ ...EMPTY_AUDIT_ENTRY, kind: "outcome", time, door, ...call, ...outcome });
    }
    return create(ReportOutcomeResponseSchema, { known: call !== undefined });
  };
}

interface Outcome {
  readonly status: "success" | "error";
  readonly code: string;
  readonly latencyMs: number;
}

function outcomeOf({ callId, status, code, latencyMs }: ReportOutcomeRequest): Outcome {
  if (callId === "") throw invalid("call_id is missing: it stands in the envelope's meta.");
  if (status !== "success" && status !== "error") throw invalid('status must be "success" or "error".');
  if (status === "success" && code !== "") throw invalid('code must be empty where status is "success".');
  if (status === "error" && !CODE.test(code))
    throw invalid('code must be 1 to 64 characters of A-Z, 0-9 and "_", such as "TOOL_ERROR".');
  if (!(latencyMs >= 0 && latencyMs <= MAX_LATENCY_MS))
    throw invalid("latency_ms must be 0 or more, and less than a year.");
  return { status, code, latencyMs };
}

function invalid(message: string): DoorError {
  return new DoorError("INVALID_ARGUMENT", message);
}
