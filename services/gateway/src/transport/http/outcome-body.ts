import { fromJsonString } from "@bufbuild/protobuf";
import { type ReportOutcomeRequest, ReportOutcomeRequestSchema } from "@toolgate/contract";
import { DoorError } from "../door-error.ts";

export const OUTCOME_EXAMPLE = '{"call_id": "ID", "status": "success", "latency_ms": 12}';

/** Reads the body of `POST /v1/outcome`: the fields of ReportOutcomeRequest, by their proto names. */
export function readOutcomeBody(text: string): ReportOutcomeRequest {
  try {
    return fromJsonString(ReportOutcomeRequestSchema, text);
  } catch (error) {
    const why = (error as Error).message
      .replace(/(message )?toolgate\.v1\.ReportOutcomeRequest\.?/g, (_name, whole) => (whole ? "it" : ""))
      .slice(0, 200);
    throw new DoorError("INVALID_ARGUMENT", `The body cannot be read: ${why}. Send ${OUTCOME_EXAMPLE}.`);
  }
}
