import { type AuditEntry, type AuditLog, fitsAuditFilter } from "@toolgate/core";

export interface MemoryAuditOptions {
  /** How many entries are kept. */
  readonly capacity: number;
}

/** The newest entries of this process; they end with it. */
export function createMemoryAuditLog({ capacity }: MemoryAuditOptions): AuditLog {
  /** Oldest first. The entry at `i` is the one with number `first + i`. */
  let entries: AuditEntry[] = [];
  let first = 0;
  return {
    async append(added) {
      entries.push(...added);
      // Cut now and then and not at each entry, which would move all the others.
      if (entries.length <= 2 * capacity) return;
      first += entries.length - capacity;
      entries = entries.slice(-capacity);
    },
    async read({ limit, after, ...filter }) {
      const end = after === undefined ? first + entries.length : numberOf(after);
      if (end === undefined || end > first + entries.length) return undefined;
      const oldest = Math.max(first, first + entries.length - capacity);
      const page: AuditEntry[] = [];
      for (let number = end - 1; number >= oldest; number -= 1) {
        const entry = entries[number - first] as AuditEntry;
        if (!fitsAuditFilter(entry, filter)) continue;
        if (page.length === limit) return { entries: page, next: String(number + 1) };
        page.push(entry);
      }
      return { entries: page };
    },
    async close() {},
  };
}

function numberOf(token: string): number | undefined {
  return /^\d{1,15}$/.test(token) ? Number(token) : undefined;
}
