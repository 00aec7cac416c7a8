/** Appends entries until it is killed: what the tests of crashes start. Says on stdout which ids are kept for good. */
import { anAuditEntry } from "@toolgate/testkit/audit-log-suite";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { openFileAuditLog } from "../src/file/index.ts";

const [path = "", first = "0"] = process.argv.slice(2);
const log = await openFileAuditLog({ path, maxFileBytes: 20_000, maxFiles: 10_000, clock: createFakeClock() });
for (let next = Number(first); ; ) {
  const batch = Array.from({ length: 1 + (next % 20) }, () =>
    anAuditEntry({ callId: String(next++), detail: "x".repeat(next % 500) }),
  );
  await log.append(batch);
  process.stdout.write(`${next - 1}\n`);
}
