import { Worker } from "node:worker_threads";
import type { ScriptResult } from "@toolgate/core";
import type { Job, WorkerMessage } from "./job.ts";

/** A script that its interpreter has not stopped this long after its time is stopped with its thread. */
const GRACE_MS = 250;
/** An interpreter that has not opened after this will not. */
const OPENING_MS = 15_000;
/** Of the thread itself; what a script has lies in WebAssembly's own memory. */
const RESOURCES = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

interface Running {
  readonly settle: (result: ScriptResult) => void;
  readonly timer: NodeJS.Timeout;
}

export interface WorkerEvents {
  /** It can take a job. */
  readonly onReady: () => void;
  /** It is gone, and what it ran has been answered. */
  readonly onGone: (cause: unknown) => void;
}

/** A thread with an interpreter. It keeps the process alive only while it has a job. */
export class ScriptWorker {
  readonly #thread: Worker;
  readonly #opening: NodeJS.Timeout;
  #running: Running | undefined;
  #isStopping = false;
  #cause: unknown = new Error("The interpreter did not open in time");

  constructor(file: URL, { onReady, onGone }: WorkerEvents) {
    this.#thread = new Worker(file, { resourceLimits: RESOURCES, env: {}, argv: [], execArgv: [], stdin: false });
    this.#opening = setTimeout(() => void this.#thread.terminate(), OPENING_MS).unref();
    this.#thread.on("message", (message: WorkerMessage) => {
      if (message.kind === "done") return this.#settle(message.result);
      clearTimeout(this.#opening);
      if (this.#running === undefined && !this.#isStopping) this.#thread.unref();
      onReady();
    });
    this.#thread.on("error", (error) => {
      this.#cause = error;
    });
    this.#thread.on("exit", () => {
      clearTimeout(this.#opening);
      this.#settle(lost(this.#cause));
      onGone(this.#cause);
    });
  }

  /** Always resolves. One job at a time, after `onReady`. */
  run(job: Job): Promise<ScriptResult> {
    return new Promise((settle) => {
      const stop = () => {
        this.#settle({ kind: "fault", fault: { kind: "timed-out", timeoutMs: job.timeoutMs } });
        void this.#thread.terminate();
      };
      this.#running = { settle, timer: setTimeout(stop, job.timeoutMs + GRACE_MS) };
      this.#thread.ref();
      this.#thread.postMessage(job);
    });
  }

  async stop(): Promise<void> {
    this.#cause = new Error("The interpreter was stopped");
    // Whoever waits for the end must not be ended first.
    this.#isStopping = true;
    this.#thread.ref();
    await this.#thread.terminate();
  }

  #settle(result: ScriptResult): void {
    if (this.#running === undefined) return;
    clearTimeout(this.#running.timer);
    this.#running.settle(result);
    this.#running = undefined;
  }
}

function lost(cause: unknown): ScriptResult {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return { kind: "fault", fault: { kind: "out-of-memory" } };
  return { kind: "fault", fault: { kind: "broken", cause } };
}
