import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../../../src/cli/toolgate.mjs", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the first match in what was printed so far; rejects when the process ends without it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

/** Runs the `toolgate` command in a process of its own; killed when the test ends, if it still runs. */
export function toolgate(args: readonly string[], options: RunOptions = {}): RunningProcess {
  return run(process.execPath, [MAIN, ...args], options);
}

export function run(command: string, args: readonly string[], { env, cwd, stdin }: RunOptions = {}): RunningProcess {
  const child = spawn(command, args, { cwd, env: { ...process.env, NO_COLOR: "1", ...env }, stdio: "pipe" });
  child.stdin.end(stdin ?? "");
  const output = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Ended>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
          if (match === null) return;
          waiting.delete(look);
          resolve(match);
        };
        waiting.add(look);
        void ended.then(() => {
          look();
          reject(new Error(`ended without printing ${pattern}:\n${output.stdout}\n${output.stderr}`));
        });
        look();
      }),
  };
}

/** Runs a command to its end. */
export async function finished(running: RunningProcess): Promise<Ended & { stdout: string; stderr: string }> {
  const ended = await running.ended;
  return { ...ended, stdout: running.stdout(), stderr: running.stderr() };
}
