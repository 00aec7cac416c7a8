import { diffToolsets, type RegistryStore, type Snapshot, type ToolsetEvent } from "@toolgate/core";

/** History kept for resuming, bounded by the tools that it holds and by its length. */
const MAX_HISTORY_TOOLS = 200_000;
const MAX_HISTORY = 128;

/** What a reader has to hear, and the snapshot it knows afterwards. */
export interface Step {
  readonly events: readonly ToolsetEvent[];
  readonly before: Snapshot;
  readonly snapshot: Snapshot;
}

/**
 * Leads any number of readers from the snapshot they know to the newest one.
 * A reader that is late gets one step over everything it missed, so it costs
 * no memory; readers at the same place share one computed step.
 */
export class SnapshotFeed {
  readonly #store: RegistryStore;
  readonly #history: Snapshot[] = [];
  #historyTools = 0;
  /** Steps to the newest snapshot only: kept for longer, they would lead from a late reader's snapshot to all since. */
  #steps = new WeakMap<Snapshot, Step>();
  #stepsTo: number | undefined;
  readonly #unsubscribe: () => void;
  readonly #readers = new Set<() => void>();

  constructor(store: RegistryStore) {
    this.#store = store;
    this.#remember(store.snapshot());
    this.#unsubscribe = store.subscribe((snapshot) => {
      this.#remember(snapshot);
      for (const wake of this.#readers) wake();
    });
  }

  get epoch(): string {
    return this.#store.epoch;
  }

  /** The snapshot of a generation, where it is still known in this epoch. */
  recall(generation: number, epoch: string): Snapshot | undefined {
    if (epoch !== this.epoch) return undefined;
    return this.#history.find((snapshot) => snapshot.generation === generation);
  }

  /** From what the reader knows to the newest; no events where that is the same. */
  step(known: Snapshot): Step {
    const snapshot = this.#store.snapshot();
    if (this.#stepsTo !== snapshot.generation) this.#steps = new WeakMap();
    this.#stepsTo = snapshot.generation;
    const cached = this.#steps.get(known);
    if (cached !== undefined) return cached;
    const step = { events: diffToolsets(known, snapshot), before: known, snapshot };
    this.#steps.set(known, step);
    return step;
  }

  /** Calls back after each change, until the returned function is called. */
  subscribe(wake: () => void): () => void {
    this.#readers.add(wake);
    return () => this.#readers.delete(wake);
  }

  /** How many readers there are. */
  get readers(): number {
    return this.#readers.size;
  }

  close(): void {
    this.#unsubscribe();
    this.#readers.clear();
  }

  #remember(snapshot: Snapshot): void {
    this.#history.push(snapshot);
    this.#historyTools += snapshot.tools.size;
    while (this.#history.length > 1 && (this.#historyTools > MAX_HISTORY_TOOLS || this.#history.length > MAX_HISTORY)) {
      this.#historyTools -= (this.#history.shift() as Snapshot).tools.size;
    }
  }
}
