import type { AuditEntry } from "../audit/audit-entry.ts";

/** Which entries to read, and where to begin. */
export interface AuditQuery extends AuditFilter {
  /** At most so many entries on one page, at least 1. */
  readonly limit: number;
  /** `next` of the page before, with the same filter; unset: the newest. */
  readonly after?: string;
}

/** All that are set must fit. */
export interface AuditFilter {
  readonly caller?: string;
  readonly tool?: string;
  readonly callId?: string;
  readonly kind?: AuditEntry["kind"];
  /** Only what began at this time or later; milliseconds since the epoch. */
  readonly since?: number;
}

export interface AuditPage {
  /** Newest first: the reverse of the order in which they were appended. */
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; unset on the last one. A page may have it and hold few entries, or none. */
  readonly next?: string;
}

/** Keeps what happened. Bounded: what is oldest goes first. */
export interface AuditLog {
  /**
   * Keeps the entries, in their order, each whole or not at all. Resolves once
   * a crash of this process loses none of them; rejects where some may be lost.
   */
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** One page; `undefined` where `after` is nothing that this log ever gave. Shows all that `append` has resolved for. */
  read(query: AuditQuery): Promise<AuditPage | undefined>;
  close(): Promise<void>;
}
