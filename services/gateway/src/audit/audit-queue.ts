import type { AuditEntry, AuditLog, Clock, Timer } from "@toolgate/core";

/** Hears what became of entries. Must not throw, must not wait. */
export interface AuditObserver {
  written(count: number): void;
  /** Entries that are lost: because too many wait, because the log failed, or because the process ends. */
  dropped(reason: "queue_full" | "write_failed" | "stopped", count: number, error?: unknown): void;
  /** The log has not taken a batch for so long; calls go on meanwhile. */
  slow(ms: number): void;
}

export interface AuditQueuePorts<T> {
  readonly log: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly observer: AuditObserver;
  /** Makes the entry of what happened; outside of what happened, so that it may take its time. */
  readonly finish: (item: T) => AuditEntry;
}

/** Entries that wait for the log; more are dropped. */
export const MAX_WAITING = 5_000;
/** How long entries gather before they are written together; a process that is killed loses no more. */
const GATHER_MS = 50;
/** So many are made into entries at once; more wait for another turn, so that calls run in between. */
const TURN = 100;
const BATCH = 500;
const SLOW_MS = 5_000;

/**
 * Stands between calls and the audit log, so that no call ever waits for it:
 * a log that hangs, is slow or fails costs entries, which are counted.
 */
export class AuditQueue<T> {
  readonly #ports: AuditQueuePorts<T>;
  #items: T[] = [];
  #entries: AuditEntry[] = [];
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  /** In the batch that is being written. */
  #underWay = 0;
  #stopped = false;

  constructor(ports: AuditQueuePorts<T>) {
    this.#ports = ports;
  }

  /** Entries that the log has not taken yet. */
  get waiting(): number {
    return this.#items.length + this.#entries.length + this.#underWay;
  }

  /** Takes what happened. Never waits, never throws. */
  add(item: T): void {
    if (this.#stopped) this.#ports.observer.dropped("stopped", 1);
    else if (this.waiting >= MAX_WAITING) this.#ports.observer.dropped("queue_full", 1);
    else this.#keep(item);
  }

  /** Resolves when all that was added has been written, or was lost. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    while (this.#items.length > 0) this.#finishSome();
    this.#write();
    await this.#writing;
  }

  /** Flushes, and gives up after `ms`: what is left then is lost, and counted. Answers whether nothing is. */
  async stop(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<void>();
    const timer = this.#ports.clock.schedule(ms, late.resolve);
    await Promise.race([this.flush(), late.promise]);
    timer.cancel();
    this.#stopped = true;
    const left = this.waiting;
    if (left > 0) this.#ports.observer.dropped("stopped", left);
    return left === 0;
  }

  #keep(item: T): void {
    this.#items.push(item);
    // What a call leaves here may be large, so a full turn is not kept for long.
    if (this.#items.length === TURN) this.#timer?.cancel();
    if (this.#items.length === 1 || this.#items.length === TURN)
      this.#takeTurn(this.#items.length === 1 ? GATHER_MS : 0);
  }

  #takeTurn(ms: number): void {
    this.#timer = this.#ports.clock.schedule(ms, () => {
      this.#finishSome();
      if (this.#items.length > 0) this.#takeTurn(0);
      this.#write();
    });
  }

  #finishSome(): void {
    const items = this.#items;
    this.#items = items.slice(TURN);
    for (const item of items.slice(0, TURN)) {
      try {
        this.#entries.push(this.#ports.finish(item));
      } catch (error) {
        this.#ports.observer.dropped("write_failed", 1, error);
      }
    }
  }

  #write(): void {
    if (this.#entries.length === 0) return;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    const { log, clock, observer } = this.#ports;
    while (this.#entries.length > 0) {
      const batch = this.#entries.slice(0, BATCH);
      this.#entries = this.#entries.slice(BATCH);
      this.#underWay = batch.length;
      const timer = clock.schedule(SLOW_MS, () => observer.slow(SLOW_MS));
      try {
        await log.append(batch);
        observer.written(batch.length);
      } catch (error) {
        observer.dropped("write_failed", batch.length, error);
      } finally {
        timer.cancel();
        this.#underWay = 0;
      }
    }
  }
}
