import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditLog } from "@toolgate/core";
import { anAuditEntry, auditLogSuite, readAll } from "@toolgate/testkit/audit-log-suite";
import { createFakeClock, type FakeClock } from "@toolgate/testkit/fake-clock";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FileAuditOptions, openFileAuditLog } from "./index.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "toolgate-audit-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Opened {
  readonly log: AuditLog;
  readonly path: string;
  readonly clock: FakeClock;
}

async function openIn(dir: string, options: Partial<FileAuditOptions> = {}): Promise<Opened> {
  const path = join(dir, "audit.jsonl");
  const clock = createFakeClock(Date.now());
  const log = await openFileAuditLog({ path, maxFileBytes: 1_000_000, maxFiles: 5, clock, ...options });
  return { log, path, clock };
}

auditLogSuite("file", async () => (await openIn(folder())).log);
auditLogSuite("many small files", async () => (await openIn(folder(), { maxFileBytes: 400, maxFiles: 1_000 })).log);

const DAY = 86_400_000;
const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);

describe("openFileAuditLog", () => {
  it("writes a line of JSON for each entry, which only the gateway's user may read", async () => {
    const { log, path } = await openIn(join(folder(), "a", "b"));
    await log.append([anAuditEntry({ time: 0, callId: "c\n1", arguments: { big: 2n ** 60n } })]);
    expect(linesOf(path)).toEqual([
      '{"v":1,"time":"1970-01-01T00:00:00.000Z","kind":"call","call_id":"c\\n1","tool":"echo","status":"success","latency_ms":1,"arguments":{"big":1152921504606846976}}',
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("goes on where an earlier process ended", async () => {
    const dir = folder();
    const first = await openIn(dir, { maxFileBytes: 300 });
    for (const callId of ["1", "2", "3", "4", "5"]) await first.log.append([anAuditEntry({ callId })]);
    await first.log.close();
    const second = await openIn(dir, { maxFileBytes: 300 });
    await second.log.append([anAuditEntry({ callId: "6" })]);
    expect((await readAll(second.log)).map(({ callId }) => callId)).toEqual(["6", "5", "4", "3", "2", "1"]);
  });

  it("puts a file aside before it grows too large, and keeps no more than it should", async () => {
    const dir = folder();
    const { log } = await openIn(dir, { maxFileBytes: 500, maxFiles: 3 });
    for (let i = 0; i < 40; i += 1) await log.append([anAuditEntry({ callId: String(i) })]);
    const files = readdirSync(dir).sort();
    expect(files).toHaveLength(3);
    expect(files[0]).toBe("audit.jsonl");
    for (const file of files) expect(statSync(join(dir, file)).size).toBeLessThanOrEqual(500);
    const ids = (await readAll(log)).map(({ callId }) => Number(callId));
    expect(ids.length).toBeGreaterThan(6);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => 39 - i));
  });

  it("keeps an entry that is larger than a file whole", async () => {
    const { log } = await openIn(folder(), { maxFileBytes: 300 });
    const large = anAuditEntry({ detail: "x".repeat(1_000) });
    await log.append([anAuditEntry(), large, anAuditEntry()]);
    expect(await readAll(log)).toEqual([anAuditEntry(), large, anAuditEntry()]);
  });

  it("deletes files that are too old, and puts a quiet one aside so that it can get too old", async () => {
    const dir = folder();
    const { log, path, clock } = await openIn(dir, { maxAgeMs: 3 * DAY });
    await log.append([anAuditEntry({ callId: "old" })]);
    await clock.advanceAsync(DAY + 3_600_000);
    await vi.waitFor(() => expect(readdirSync(dir).sort()).toEqual(["audit.jsonl", "audit.jsonl.000001"]));
    await log.append([anAuditEntry({ callId: "new" })]);
    expect((await readAll(log)).map(({ callId }) => callId)).toEqual(["new", "old"]);
    const past = new Date(Date.now() - 3 * DAY);
    utimesSync(`${path}.000001`, past, past);
    await clock.advanceAsync(3_600_000);
    await vi.waitFor(() => expect(readdirSync(dir)).toEqual(["audit.jsonl"]));
    expect((await readAll(log)).map(({ callId }) => callId)).toEqual(["new"]);
  });

  it("ends what a crash cut, says so once, and leaves it out", async () => {
    const dir = folder();
    const { log, path } = await openIn(dir);
    await log.append([anAuditEntry({ callId: "1" })]);
    appendFileSync(path, '{"v":1,"time":"2025-01-01T00:00:00.000Z","kind":"ca');
    const onTorn = vi.fn();
    const again = await openIn(dir, { onTorn });
    await again.log.append([anAuditEntry({ callId: "2" })]);
    expect(onTorn).toHaveBeenCalledTimes(1);
    expect((await readAll(again.log)).map(({ callId }) => callId)).toEqual(["2", "1"]);
    await openIn(dir, { onTorn });
    expect(onTorn).toHaveBeenCalledTimes(1);
  });

  it("leaves out lines that are not its own, however long", async () => {
    const { log, path } = await openIn(folder());
    await log.append([anAuditEntry({ callId: "1" })]);
    await log.close();
    appendFileSync(path, `${"x".repeat(3_000_000)}\n\n{"v":2}\n[1]\n{"v":1,"kind":"call","time":"soon"}\nnull\n`);
    const again = await openFileAuditLog({ path, maxFileBytes: 9e9, maxFiles: 2, clock: createFakeClock() });
    await again.append([anAuditEntry({ callId: "2" })]);
    expect((await readAll(again)).map(({ callId }) => callId)).toEqual(["2", "1"]);
  });

  it("goes on with older files where the one that a page ended in is gone", async () => {
    const dir = folder();
    const { log } = await openIn(dir, { maxFileBytes: 300, maxFiles: 100 });
    for (let i = 0; i < 20; i += 1) await log.append([anAuditEntry({ callId: String(i) })]);
    const { next } = (await log.read({ limit: 5 })) ?? {};
    rmSync(join(dir, `audit.jsonl.${next?.split("-")[0]?.padStart(6, "0")}`));
    const rest = next === undefined ? [] : await readAll(log, { after: next });
    const ids = rest.map(({ callId }) => Number(callId));
    expect(ids.length).toBeGreaterThan(5);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => ids.length - 1 - i));
  });

  it("says in words where it cannot write", async () => {
    const dir = folder();
    appendFileSync(join(dir, "file"), "");
    await expect(openIn(join(dir, "file", "below"))).rejects.toThrow(/audit\.jsonl cannot be written \(E[A-Z]+\)/);
  });

  it("has whole entries in order after any sequence of appends, crashes and new files", async () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 1, max: 5 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant("crash" as const), cut: fc.double({ min: 0, max: 1, noNaN: true }) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
    );
    const sizes = fc.constantFrom(200, 450, 5_000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        sizes,
        fc.integer({ min: 1, max: 9 }),
        async (steps, maxFileBytes, limit) => {
          const dir = mkdtempSync(join(tmpdir(), "toolgate-audit-"));
          const options = { maxFileBytes, maxFiles: 1_000 };
          let { log, path } = await openIn(dir, options);
          let count = 0;
          for (const { do: what, ...more } of steps) {
            if (what === "append") {
              const added = (more as { count: number }).count;
              await log.append(Array.from({ length: added }, () => anAuditEntry({ callId: String(count++) })));
              continue;
            }
            // A process that ends in the middle of a write leaves the beginning of what it wrote.
            const cut = Buffer.from(`${"{"}"v":1,"time":"2025-01-01T00:00:00.000Z","kind":"call","status":"error"`);
            const { cut: share = 0 } = more as { cut?: number };
            if (what === "crash") appendFileSync(path, cut.subarray(0, Math.round(share * cut.length)));
            await log.close();
            ({ log, path } = await openIn(dir, options));
          }
          const ids = (await readAll(log, { limit })).map(({ callId }) => Number(callId));
          expect(ids).toEqual(Array.from({ length: count }, (_, i) => count - 1 - i));
          await log.close();
          rmSync(dir, { recursive: true });
        },
      ),
      { numRuns: 60 },
    );
  });
});
