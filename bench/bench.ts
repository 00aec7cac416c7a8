import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Children } from "./process/children.ts";

/** What a run has besides its options: its processes and its folder. Both are gone when it ends. */
export interface Bench {
  readonly children: Children;
  /** For configurations, tool files, and logs of load. */
  readonly folder: string;
  /** One line to the person who waits. */
  readonly say: (line: string) => void;
}

/** Nothing takes so long, also on a machine that others use, unless it hangs. */
const LIMIT_MS = 20 * 60_000;

/**
 * Runs `work`, and leaves nothing behind: not after an error, not after Ctrl-C.
 *
 * @param longerMs what the work may take beyond twenty minutes
 */
export async function withBench(work: (bench: Bench) => Promise<void>, longerMs = 0): Promise<void> {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const bench = { children: new Children(), folder: mkdtempSync(join(tmpdir(), "toolgate-bench-")), say };
  const removeFolder = () => rmSync(bench.folder, { recursive: true, force: true });
  const interrupted = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error("Something hangs: ended.")), LIMIT_MS + longerMs).unref();
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => reject(new Error(`Ended by ${signal}.`)));
  });
  process.once("exit", () => {
    bench.children.killAll();
    removeFolder();
  });
  try {
    await Promise.race([work(bench), interrupted]);
  } finally {
    await bench.children.endAll();
    removeFolder();
  }
}
