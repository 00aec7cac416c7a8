import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

/** How long a process may take to end by itself before it is killed. */
const GRACE_MS = 3_000;
const TAIL_CHARACTERS = 4_000;

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether parent and child talk over an IPC channel. */
  readonly ipc?: boolean;
}

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Resolves with the first match in what was printed on stdout; rejects when the process ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the next message over IPC; rejects when the process ends first. */
  message<T>(): Promise<T>;
  /** Resolves with everything on stdout when the process ends with code 0; rejects with the end of stderr else. */
  finished(): Promise<string>;
}

/** Every process that a run started, so that none outlives it. */
export class Children {
  readonly #alive = new Set<ChildProcess>();
  #closed = false;

  /**
   * Starts a program; Node is `process.execPath`.
   *
   * @throws Error once all are being ended: what still runs then must not start more.
   */
  start(command: readonly [string, ...string[]], { env, ipc = false }: ChildOptions = {}): Child {
    if (this.#closed) throw new Error("The run is ending; nothing is started any more.");
    const [program, ...args] = command;
    const options: SpawnOptions = {
      env: { ...process.env, NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe", ...(ipc ? ["ipc" as const] : [])],
      // Bytes stay bytes.
      serialization: "advanced",
    };
    const child = spawn(program, args, options);
    this.#alive.add(child);
    child.once("exit", () => this.#alive.delete(child));
    return watch(child);
  }

  async end(child: ChildProcess): Promise<void> {
    if (!this.#alive.has(child)) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
    await ended;
    clearTimeout(timer);
  }

  async endAll(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#alive].map((child) => this.end(child)));
  }

  /** For the last moment, when nothing can be waited for. */
  killAll(): void {
    for (const child of this.#alive) child.kill("SIGKILL");
  }
}

function watch(child: ChildProcess): Child {
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      output[stream] = stream === "stderr" ? (output.stderr + text).slice(-TAIL_CHARACTERS) : output.stdout + text;
      for (const look of listeners) look();
    });
  }
  const closed = new Promise<Error | undefined>((resolve) => {
    child.once("error", resolve);
    child.once("close", (code, signal) => {
      resolve(code === 0 ? undefined : new Error(`${child.spawnfile} ended with ${signal ?? code}:\n${output.stderr}`));
    });
  });
  const gone = closed.then((error) => error ?? new Error(`${child.spawnfile} ended too early:\n${output.stderr}`));
  const orGone = <T>(wait: (resolve: (value: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      wait(resolve);
      void gone.then(reject);
    });
  return {
    process: child,
    // Absent only when it could not be started: then everything that waits for it rejects.
    pid: child.pid ?? 0,
    printed: (pattern) =>
      orGone((resolve) => {
        const look = () => {
          const match = pattern.exec(output.stdout);
          if (match === null) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        look();
      }),
    message: <T>() => orGone<T>((resolve) => child.once("message", (message) => resolve(message as T))),
    finished: async () => {
      const error = await closed;
      if (error !== undefined) throw error;
      return output.stdout;
    },
  };
}
