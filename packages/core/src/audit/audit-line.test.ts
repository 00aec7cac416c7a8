import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AUDIT_KINDS, type AuditEntry } from "./audit-entry.ts";
import { auditLine, readAuditLine } from "./audit-line.ts";

const timeOf = (time: string) => Number(time);

const anEntry: fc.Arbitrary<AuditEntry> = fc.record({
  kind: fc.constantFrom(...AUDIT_KINDS),
  time: fc.nat(),
  latencyMs: fc.double({ min: 0, max: 1e9, noNaN: true }).map((ms) => ms + 0),
  caller: fc.string(),
  door: fc.string(),
  callId: fc.string({ unit: "binary" }),
  sessionId: fc.string({ unit: "grapheme" }),
  tool: fc.string(),
  toolset: fc.string(),
  backend: fc.string(),
  action: fc.string(),
  status: fc.string(),
  code: fc.string(),
  backendMs: fc.nat(),
  attempts: fc.nat(),
  argumentsSha256: fc.string(),
  arguments: fc.dictionary(fc.string(), fc.constantFrom(1, "x", null, 2n ** 80n)),
  detail: fc.string(),
});

describe("a line of the audit log", () => {
  it("gives back any entry, and has no line break", () => {
    fc.assert(
      fc.property(anEntry, (entry) => {
        const line = auditLine(entry, String(entry.time));
        expect(line).not.toMatch(/[\n\r]/);
        expect(readAuditLine(line, timeOf)).toEqual(entry);
      }),
    );
  });

  it("is no entry once anything is missing at its end", () => {
    fc.assert(
      fc.property(anEntry, fc.nat(), (entry, at) => {
        const line = auditLine(entry, String(entry.time));
        expect(readAuditLine(line.slice(0, at % line.length), timeOf)).toBeUndefined();
      }),
    );
  });

  it.each(["", "1", "null", "[]", "{}", '{"v":2,"time":"1","kind":"call"}', '{"v":1,"time":"1","kind":"other"}'])(
    "%s is no entry",
    (text) => {
      expect(readAuditLine(text, timeOf)).toBeUndefined();
    },
  );

  it("leaves out fields of another type than ours", () => {
    const line = '{"v":1,"time":"1","kind":"call","tool":1,"attempts":"2","arguments":[],"status":"success","new":1}';
    expect(readAuditLine(line, timeOf)).toMatchObject({ tool: "", attempts: 0, status: "success" });
    expect(readAuditLine(line, timeOf)).not.toHaveProperty("arguments");
  });
});
