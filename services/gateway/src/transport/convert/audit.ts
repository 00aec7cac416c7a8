import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry as AuditEntryMessage, AuditEntrySchema, type ReadAuditLogRequest } from "@toolgate/contract";
import { AUDIT_KINDS, type AuditEntry, type AuditQuery, stringifyJson } from "@toolgate/core";
import { DoorError } from "../door-error.ts";

const MAX_PAGE = 1_000;
const DEFAULT_PAGE = 100;

/** @throws DoorError INVALID_ARGUMENT for a page size or a kind that there is not */
export function auditQueryOf(request: ReadAuditLogRequest): AuditQuery {
  const { caller, tool, callId, since, pageToken } = request;
  if (request.pageSize > MAX_PAGE) throw invalid(`page_size must be at most ${MAX_PAGE}, not ${request.pageSize}.`);
  const kind = AUDIT_KINDS.find((known) => known === request.kind);
  if (kind === undefined && request.kind !== "") throw invalid(`kind must be one of ${AUDIT_KINDS.join(", ")}.`);
  return {
    limit: request.pageSize || DEFAULT_PAGE,
    ...(caller === "" ? {} : { caller }),
    ...(tool === "" ? {} : { tool }),
    ...(callId === "" ? {} : { callId }),
    ...(kind === undefined ? {} : { kind }),
    ...(since === undefined ? {} : { since: timestampMs(since) }),
    ...(pageToken === "" ? {} : { after: pageToken }),
  };
}

export function auditEntryToMessage({ time, arguments: args, ...rest }: AuditEntry): AuditEntryMessage {
  return create(AuditEntrySchema, {
    ...rest,
    time: timestampFromMs(time),
    argumentsJson: args === undefined ? "" : stringifyJson(args),
  });
}

function invalid(message: string): DoorError {
  return new DoorError("INVALID_ARGUMENT", message);
}
