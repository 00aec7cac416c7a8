/** Counts handlers that run, and can end them. */
export class CallsInFlight {
  readonly #running = new Set<AbortController>();
  #idle = Promise.withResolvers<void>();
  #closed = false;

  constructor() {
    this.#idle.resolve();
  }

  /** Whether new calls are refused, because the provider stops. */
  get closed(): boolean {
    return this.#closed;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Runs until the promise settles; a call whose caller is gone still counts. */
  async track<T>(control: AbortController, run: () => Promise<T>): Promise<T> {
    if (this.#running.size === 0) this.#idle = Promise.withResolvers<void>();
    this.#running.add(control);
    try {
      return await run();
    } finally {
      this.#running.delete(control);
      if (this.#running.size === 0) this.#idle.resolve();
    }
  }

  /** From now on, new calls are refused. */
  close(): void {
    this.#closed = true;
  }

  /** Resolves as soon as nothing runs. */
  idle(): Promise<void> {
    return this.#idle.promise;
  }

  /** Aborts the signal of each call that runs. */
  abort(reason: Error): void {
    for (const control of this.#running) control.abort(reason);
  }
}
