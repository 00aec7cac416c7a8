import { type AuditEntry, type AuditFilter, type AuditLog, type AuditQuery, EMPTY_AUDIT_ENTRY } from "@toolgate/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FAKE_START } from "./fake-clock.ts";

/** A call of "echo" that took a millisecond. */
export function anAuditEntry(parts: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...EMPTY_AUDIT_ENTRY,
    kind: "call",
    time: FAKE_START,
    latencyMs: 1,
    status: "success",
    tool: "echo",
    ...parts,
  };
}

/** All that fits, page by page, from where the query says. */
export async function readAll(log: AuditLog, query: Partial<AuditQuery> = {}): Promise<AuditEntry[]> {
  const page = await log.read({ limit: 100, ...query });
  if (page === undefined) throw new Error(`The log does not know its own ${query.after}.`);
  if (page.next === undefined) return [...page.entries];
  return [...page.entries, ...(await readAll(log, { ...query, after: page.next }))];
}

/** What every AuditLog does. `open` makes an empty log for each test, which keeps at least 1,000 entries. */
export function auditLogSuite(name: string, open: () => Promise<AuditLog>): void {
  describe(`audit log: ${name}`, () => {
    let log: AuditLog;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());
    const numbered = (count: number, parts: Partial<AuditEntry> = {}) =>
      Array.from({ length: count }, (_, i) => anAuditEntry({ callId: `c${i}`, time: FAKE_START + i, ...parts }));

    it("has nothing at first", async () => {
      expect(await log.read({ limit: 10 })).toEqual({ entries: [] });
    });

    it("gives back what it was given, every field, newest first", async () => {
      const whole = anAuditEntry({
        kind: "outcome",
        latencyMs: 12.5,
        caller: "agent",
        door: "http",
        callId: "c1",
        sessionId: 's "1"',
        toolset: "web",
        backend: "http:a.example",
        action: "register",
        status: "error",
        code: "TOOL_ERROR",
        backendMs: 11.2,
        attempts: 2,
        argumentsSha256: "00ff",
        arguments: { "a b": [1, null, { c: "\u2028 line\nbreak" }] },
        detail: "Grüße 🚪",
      });
      await log.append([anAuditEntry({ callId: "c0" }), whole]);
      expect(await log.read({ limit: 10 })).toEqual({ entries: [whole, anAuditEntry({ callId: "c0" })] });
    });

    it("keeps the order of appends, also of those that do not wait for each other", async () => {
      const entries = numbered(60);
      await Promise.all([0, 20, 40].map((from) => log.append(entries.slice(from, from + 20))));
      expect(await readAll(log)).toEqual(entries.toReversed());
    });

    it.each([1, 7, 100])("reads everything once in pages of %i, also while more comes", async (limit) => {
      const entries = numbered(100);
      await log.append(entries);
      const first = await log.read({ limit });
      await log.append(numbered(30, { tool: "later" }));
      const rest = first?.next === undefined ? [] : await readAll(log, { limit, after: first.next });
      expect([...(first?.entries ?? []), ...rest]).toEqual(entries.toReversed());
    });

    it.each<[string, AuditFilter, string[]]>([
      ["caller", { caller: "ann" }, ["c3", "c1"]],
      ["tool", { tool: "add" }, ["c2", "c1"]],
      ["call", { callId: "c2" }, ["c2"]],
      ["kind", { kind: "admin" }, ["c3"]],
      ["time", { since: FAKE_START + 2 }, ["c3", "c2"]],
      ["several, all of which must fit", { caller: "ann", tool: "add" }, ["c1"]],
      ["what nobody has", { tool: "none" }, []],
    ])("filters by %s", async (_what, filter, ids) => {
      await log.append([
        anAuditEntry({ callId: "c0", time: FAKE_START }),
        anAuditEntry({ callId: "c1", time: FAKE_START + 1, caller: "ann", tool: "add" }),
        anAuditEntry({ callId: "c2", time: FAKE_START + 2, caller: "bob", tool: "add" }),
        anAuditEntry({ callId: "c3", time: FAKE_START + 3, caller: "ann", kind: "admin" }),
      ]);
      for (const limit of [1, 10]) {
        expect((await readAll(log, { ...filter, limit })).map(({ callId }) => callId)).toEqual(ids);
      }
    });

    it("finds a call that began long before those that ended before it", async () => {
      const late = anAuditEntry({ callId: "slow", time: FAKE_START, latencyMs: 600_000 });
      await log.append([anAuditEntry({ callId: "quick", time: FAKE_START + 500_000 }), late]);
      const ids = (await readAll(log, { since: FAKE_START })).map(({ callId }) => callId);
      expect(ids).toEqual(["slow", "quick"]);
    });

    it.each(["", "x", "-1", "1e3", "99999999999-0", "999999999999"])("does not know the token %j", async (after) => {
      await log.append(numbered(3));
      expect(await log.read({ limit: 10, after })).toBeUndefined();
    });
  });
}
