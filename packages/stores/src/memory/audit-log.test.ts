import { anAuditEntry, auditLogSuite, readAll } from "@toolgate/testkit/audit-log-suite";
import { expect, it } from "vitest";
import { createMemoryAuditLog } from "./audit-log.ts";

auditLogSuite("memory", async () => createMemoryAuditLog({ capacity: 1_000 }));

it.each([1, 2, 5, 11])("keeps the newest ten, appended %i at a time", async (size) => {
  const log = createMemoryAuditLog({ capacity: 10 });
  let count = 0;
  while (count < 95) {
    await log.append(Array.from({ length: size }, () => anAuditEntry({ callId: String(count++) })));
  }
  const newest = Array.from({ length: 10 }, (_, i) => String(count - 1 - i));
  expect((await readAll(log, { limit: 3 })).map(({ callId }) => callId)).toEqual(newest);
});
