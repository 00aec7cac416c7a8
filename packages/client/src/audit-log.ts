import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  AuditEntry as AuditEntryMessage,
  ReadAuditLogRequestSchema,
  ReadAuditLogResponse,
} from "@toolgate/contract";
import type { RequestOptions } from "./requester.ts";

/** Which entries to read; all that are set must fit. */
export interface AuditFilter {
  readonly caller?: string;
  /** By the tool's own name. */
  readonly tool?: string;
  /** One call, with its outcome where one was reported. */
  readonly callId?: string;
  /** "call", "outcome", "registration" or "admin". */
  readonly kind?: string;
  /** Only what began then or later. */
  readonly since?: Date;
}

export interface AuditPageOptions extends RequestOptions {
  /** 1 to 1,000; 100 where unset. */
  readonly pageSize?: number;
  /** `nextPageToken` of the page before, with the same filter. */
  readonly pageToken?: string;
}

export interface AuditPage {
  /** Newest first. May be few, or none, before the last page. */
  readonly entries: readonly AuditEntry[];
  /** Unset on the last page. */
  readonly nextPageToken?: string;
}

/** What happened, once. What does not apply is empty, or 0. */
export interface AuditEntry extends Omit<AuditEntryMessage, "$typeName" | "$unknown" | "time"> {
  /** When it began. */
  readonly time: Date | undefined;
}

export function auditRequest(
  filter: AuditFilter,
  { pageSize, pageToken }: AuditPageOptions,
): MessageInitShape<typeof ReadAuditLogRequestSchema> {
  const { since, ...rest } = filter;
  return {
    ...rest,
    ...(since === undefined ? {} : { since: timestampFromDate(since) }),
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(pageToken === undefined ? {} : { pageToken }),
  };
}

export function auditPageOf({ entries, nextPageToken }: ReadAuditLogResponse): AuditPage {
  const page = { entries: entries.map(entryOf) };
  return nextPageToken === "" ? page : { ...page, nextPageToken };
}

function entryOf({ $typeName: _type, $unknown: _unknown, time, ...rest }: AuditEntryMessage): AuditEntry {
  return { ...rest, time: time && timestampDate(time) };
}
