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

/** Runs `work`, and leaves nothing behind: not after an error, not after Ctrl-C. */
export async function withBench(say: Bench["say"], work: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = { children: new Children(), folder: mkdtempSync(join(tmpdir(), "toolgate-bench-")), say };
  const removeFolder = () => rmSync(bench.folder, { recursive: true, force: true });
  const interrupted = new Promise<never>((_resolve, reject) => {
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
