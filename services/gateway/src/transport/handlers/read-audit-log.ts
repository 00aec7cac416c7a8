import { create } from "@bufbuild/protobuf";
import { type ReadAuditLogRequest, type ReadAuditLogResponse, ReadAuditLogResponseSchema } from "@toolgate/contract";
import type { AuditLog } from "@toolgate/core";
import { auditEntryToMessage, auditQueryOf } from "../convert/audit.ts";
import { DoorError } from "../door-error.ts";
import { requireAdmin } from "./admin.ts";
import type { RequestContext } from "./context.ts";

/** ReadAuditLog: for callers with `admin` only. `log` is unset where it is switched off. */
export function readAuditLogHandler(log: Pick<AuditLog, "read"> | undefined) {
  return async (request: ReadAuditLogRequest, context: RequestContext): Promise<ReadAuditLogResponse> => {
    requireAdmin(context);
    if (log === undefined)
      throw new DoorError("UNIMPLEMENTED", "This gateway keeps no audit log: audit.enabled is false.");
    const page = await log.read(auditQueryOf(request));
    if (page === undefined)
      throw new DoorError("INVALID_ARGUMENT", "page_token is none that this log gave. Begin without one.");
    return create(ReadAuditLogResponseSchema, {
      entries: page.entries.map(auditEntryToMessage),
      nextPageToken: page.next ?? "",
    });
  };
}
