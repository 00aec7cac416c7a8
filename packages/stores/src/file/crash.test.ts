import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readAll } from "@toolgate/testkit/audit-log-suite";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { expect, it, onTestFinished } from "vitest";
import { openFileAuditLog } from "./index.ts";

const APPENDING = fileURLToPath(new URL("../../test/appending-process.ts", import.meta.url));
const ROUNDS = 6;

/** Lets a process append from `first` on, and kills it after so many appends. Answers the last id that it said was kept. */
async function appendUntilKilled(path: string, first: number, appends: number): Promise<number> {
  const child = spawn(process.execPath, [APPENDING, path, String(first)], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.split("\n").length > appends) child.kill("SIGKILL");
  });
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGKILL");
  return Number(said.split("\n").at(-2));
}

it("loses nothing that was kept, and has only whole entries in order, however often its process is killed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "toolgate-audit-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "audit.jsonl");
  let next = 0;
  const lastKept: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const kept = await appendUntilKilled(path, next, 20 + 37 * round);
    // More may have been written than was said; ids of a later round begin well behind.
    next = kept + 1_000;
    lastKept.push(kept);
  }
  const log = await openFileAuditLog({ path, maxFileBytes: 1_000_000, maxFiles: 10_000, clock: createFakeClock() });
  const entries = (await readAll(log)).toReversed();
  await log.close();
  const ids = entries.map(({ callId }) => Number(callId));
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  for (const [round, kept] of lastKept.entries()) {
    const first = round === 0 ? 0 : (lastKept[round - 1] as number) + 1_000;
    const expected = Array.from({ length: kept - first + 1 }, (_, i) => first + i);
    expect(ids.filter((id) => id >= first && id <= kept)).toEqual(expected);
  }
  for (const { callId, detail } of entries) expect(detail).toHaveLength((Number(callId) + 1) % 500);
});
