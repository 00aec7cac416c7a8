import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { BenchResult } from "./report/result.ts";

const RUN = fileURLToPath(new URL("run.ts", import.meta.url));
const TINY = ["--quick", "--calls", "60", "--rounds", "1", "--tools", "30", "--starts", "1"];
// Some twenty processes start one after the other.
const PATIENCE = { timeout: 400_000 };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(args: readonly string[], folder: string) {
  // TMPDIR: what the run leaves behind would be seen here.
  const child = spawn(process.execPath, [RUN, ...args], { env: { ...process.env, TMPDIR: folder }, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (output.stdout += text));
  child.stderr.on("data", (text) => (output.stderr += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return { child, output, ended };
}

/** Every number in a result, by its path. */
function numbersIn(value: unknown, path = ""): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => numbersIn(part, `${path}/${key}`));
}

function childrenOf({ pid }: ChildProcess): number[] {
  const all = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
  return all === "" ? [] : all.split(" ").map(Number);
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(process.platform === "linux")("npm run bench", () => {
  it("has a number in every row, and leaves nothing behind", PATIENCE, async () => {
    const folder = temporaryFolder();
    const json = join(folder, "result.json");
    const { output, ended } = run([...TINY, "--own-load", "--soak", "1", "--json", json], folder);
    expect(await ended, output.stderr).toBe(0);
    const result: BenchResult = JSON.parse(readFileSync(json, "utf8"));
    expect(result.calls).toHaveLength(12);
    expect(result.calls.filter(({ timesForwarder }) => timesForwarder !== undefined)).toHaveLength(6);
    expect(result.starts).toHaveLength(3);
    expect(result.catalogue.listings.map(({ tools }) => tools)).toEqual([30, 30, 30]);
    expect(result.catalogue.memory.map(({ tools }) => tools)).toEqual([0, 30]);
    // JSON has no NaN: it is null there.
    const empty = numbersIn(result).filter(([, value]) => value === null || value === undefined);
    expect(empty.map(([path]) => path).filter((path) => !path.startsWith("/soak/growth"))).toEqual([]);
    for (const row of result.calls) expect(row).toMatchObject({ callsPerSecond: expect.any(Number) });
    expect(output.stdout).toContain("CPU µs a call");
    expect(readdirSync(folder)).toEqual(["result.json"]);
  });

  it("ends every process that it started on Ctrl-C", PATIENCE, async () => {
    const folder = temporaryFolder();
    const { child, ended } = run(TINY, folder);
    let started: number[] = [];
    await vi.waitFor(
      () => {
        started = childrenOf(child);
        expect(started).not.toEqual([]);
      },
      { timeout: 60_000, interval: 20 },
    );
    child.kill("SIGINT");
    expect(await ended).toBe(1);
    expect(started.filter(lives)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says what is wrong with its options, and starts nothing", async () => {
    const { output, ended } = run(["--rounds", "none"], temporaryFolder());
    expect(await ended).toBe(2);
    expect(output.stderr).toContain("--rounds must be a whole number");
  });
});
