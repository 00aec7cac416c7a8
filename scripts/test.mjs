// Runs every test and ends with one line: "N passed, N failed". Arguments go to vitest.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "toolgate-test-"));
const report = join(folder, "report.json");
const vitest = [
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
];
const { status } = spawnSync("vitest", vitest, { stdio: ["ignore", "inherit", "inherit"] });

const counts = read();
rmSync(folder, { recursive: true, force: true });
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exit(status === 0 && counts.failed === 0 && counts.passed > 0 ? 0 : 1);

function read() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    // A file that does not even load has no tests to count; it is one failure.
    const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0).length;
    return { passed: numPassedTests, failed: numFailedTests + broken, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
