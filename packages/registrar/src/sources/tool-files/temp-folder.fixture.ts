import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that goes with the test. */
export function tempFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "toolgate-tools-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
