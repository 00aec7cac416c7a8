import type { ScriptResult } from "@toolgate/core";
import type { Job } from "./job.ts";
import { ScriptWorker } from "./script-worker.ts";

export interface PoolBounds {
  readonly workers: number;
  /** Workers that one script may have at once: whatever it does, others find one free. */
  readonly workersOfOne: number;
  readonly waiting: number;
  /** Of one script, for the same reason. */
  readonly waitingOfOne: number;
  readonly maxWaitMs: number;
}

/** A job whose answer is awaited, whether it runs already or not. */
interface Asked {
  readonly job: Job;
  /** Only the first answer counts. */
  readonly answer: (result: ScriptResult) => void;
}

function refused(kind: "busy" | "cancelled"): ScriptResult {
  return { kind: "fault", fault: { kind } };
}

function broken(cause: unknown): ScriptResult {
  return { kind: "fault", fault: { kind: "broken", cause } };
}

/** Workers of one language. They start when they are needed first, and are kept until the pool is closed. */
export class WorkerPool {
  readonly #file: URL;
  readonly #bounds: PoolBounds;
  readonly #workers = new Set<ScriptWorker>();
  readonly #opening = new Set<ScriptWorker>();
  readonly #idle: ScriptWorker[] = [];
  /** By script: how many run now. */
  readonly #running = new Map<string, number>();
  readonly #queue: Asked[] = [];
  #isClosed = false;

  constructor(file: URL, bounds: PoolBounds) {
    this.#file = file;
    this.#bounds = bounds;
  }

  /** Always resolves; with "cancelled" as soon as the signal aborts. */
  run(job: Job, signal: AbortSignal): Promise<ScriptResult> {
    if (this.#isClosed) return Promise.resolve(broken(new Error("The scripts have been stopped")));
    if (signal.aborted) return Promise.resolve(refused("cancelled"));
    return new Promise((resolve) => {
      const cancel = () => answer(refused("cancelled"));
      const timer = setTimeout(() => this.#leave(asked), this.#bounds.maxWaitMs);
      const answer = (result: ScriptResult) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        const place = this.#queue.indexOf(asked);
        if (place >= 0) this.#queue.splice(place, 1);
        resolve(result);
      };
      const asked: Asked = { job, answer };
      signal.addEventListener("abort", cancel);
      this.#queue.push(asked);
      this.#serve();
      if (this.#isOverfull(job)) this.#leave(asked);
    });
  }

  /** Ends every worker; what is asked or running is answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { answer } of [...this.#queue]) answer(broken(new Error("The scripts have been stopped")));
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
  }

  /** Gives up waiting; one that runs is left to its own bounds. */
  #leave(asked: Asked): void {
    if (this.#queue.includes(asked)) asked.answer(refused("busy"));
  }

  #isOverfull({ source }: Job): boolean {
    const { waiting, waitingOfOne } = this.#bounds;
    return this.#queue.length > waiting || this.#queue.filter(({ job }) => job.source === source).length > waitingOfOne;
  }

  #serve(): void {
    for (;;) {
      const next = this.#queue.findIndex(({ job }) => (this.#running.get(job.source) ?? 0) < this.#bounds.workersOfOne);
      if (next < 0 || this.#isClosed) return;
      const worker = this.#idle.pop();
      if (worker === undefined) {
        this.#open();
        return;
      }
      const [asked] = this.#queue.splice(next, 1) as [Asked];
      void this.#run(worker, asked);
    }
  }

  #open(): void {
    if (this.#workers.size >= this.#bounds.workers || this.#opening.size >= this.#queue.length) return;
    const worker: ScriptWorker = new ScriptWorker(this.#file, {
      onReady: () => {
        this.#opening.delete(worker);
        this.#idle.push(worker);
        this.#serve();
      },
      onGone: (cause) => this.#lose(worker, cause),
    });
    this.#workers.add(worker);
    this.#opening.add(worker);
  }

  #lose(worker: ScriptWorker, cause: unknown): void {
    this.#workers.delete(worker);
    const place = this.#idle.indexOf(worker);
    if (place >= 0) this.#idle.splice(place, 1);
    // One that did not even open answers one job, so that none waits for ever for what cannot be.
    if (this.#opening.delete(worker)) this.#queue[0]?.answer(broken(cause));
    this.#serve();
  }

  async #run(worker: ScriptWorker, { job, answer }: Asked): Promise<void> {
    const { source } = job;
    this.#running.set(source, (this.#running.get(source) ?? 0) + 1);
    const result = await worker.run(job);
    const left = (this.#running.get(source) ?? 1) - 1;
    if (left === 0) this.#running.delete(source);
    else this.#running.set(source, left);
    answer(result);
    this.#serve();
  }
}
