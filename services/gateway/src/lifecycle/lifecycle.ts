/** Where the process is in its life; it only ever goes forward. */
export type LifecycleState = "starting" | "ready" | "draining" | "stopped";

interface Closer {
  readonly name: string;
  readonly close: () => void | Promise<void>;
  readonly deadlineMs: number;
}

export interface LifecycleLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const ORDER: readonly LifecycleState[] = ["starting", "ready", "draining", "stopped"];

/**
 * The process's state and what must be closed at its end: last opened, first
 * closed, each within its own deadline, and none kept from closing by another.
 */
export class Lifecycle {
  readonly #log: LifecycleLog;
  readonly #closers: Closer[] = [];
  readonly #draining = new AbortController();
  #state: LifecycleState = "starting";
  #stopping: Promise<void> | undefined;

  constructor(log: LifecycleLog) {
    this.#log = log;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  /** Aborted once the process drains. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  /** Adds something to close. */
  onStop(name: string, deadlineMs: number, close: () => void | Promise<void>): void {
    this.#closers.push({ name, deadlineMs, close });
  }

  ready(): void {
    this.#advance("ready");
  }

  /** Drains and closes everything; a second call waits for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#advance("draining");
    this.#draining.abort();
    while (this.#closers.length > 0) await this.#close(this.#closers.pop() as Closer);
    this.#advance("stopped");
  }

  async #close({ name, close, deadlineMs }: Closer): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), deadlineMs);
    });
    try {
      const done = await Promise.race([Promise.resolve(close()).then(() => "done" as const), late]);
      if (done === "late") this.#log.error({ name, deadlineMs }, "closing took too long; going on without it");
    } catch (error) {
      this.#log.error({ name, error: String(error) }, "closing failed; going on");
    } finally {
      clearTimeout(timer);
    }
  }

  #advance(state: LifecycleState): void {
    if (ORDER.indexOf(state) <= ORDER.indexOf(this.#state)) return;
    this.#log.info({ from: this.#state, to: state }, "state changed");
    this.#state = state;
  }
}
