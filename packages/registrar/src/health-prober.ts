import {
  type CheckHistory,
  type CheckSpec,
  type Clock,
  type Command,
  checkKey,
  judge,
  nextProbeIn,
  type Probe,
  type ProbeResult,
  type Random,
  type RegistryStore,
  type Snapshot,
  type Timer,
  UNPROBED,
} from "@toolgate/core";

/** A probe that has not answered by then has failed. */
export const PROBE_TIMEOUT_MS = 2_000;
const MAX_PROBES_AT_ONCE = 16;
/** Probes of many checks drift apart by this share of their interval. */
const JITTER = 0.1;

export interface ProberPorts {
  readonly store: RegistryStore;
  readonly probes: ReadonlyMap<string, Probe>;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears that the store did not take an answer; probing goes on. */
  readonly onError?: (error: unknown) => void;
}

interface Watched {
  readonly check: CheckSpec;
  history: CheckHistory;
  timer: Timer | undefined;
  running: AbortController | undefined;
  /** Resolved by the first answer, or when nobody asks any more. */
  readonly answered: PromiseWithResolvers<void>;
}

/**
 * Asks each check that some tool or toolset names, once for all that share
 * it, outside any lock, and writes what the answers mean into the registry.
 */
export class HealthProber {
  readonly #ports: ProberPorts;
  readonly #watched = new Map<string, Watched>();
  /** Each check at most once, first come first served. */
  readonly #waiting = new Set<string>();
  #running = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(ports: ProberPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#follow(this.#ports.store.snapshot());
    this.#unsubscribe = this.#ports.store.subscribe((snapshot, before) => {
      if (snapshot.tools !== before.tools || snapshot.toolsets !== before.toolsets) this.#follow(snapshot);
    });
  }

  stop(): void {
    this.#unsubscribe?.();
    for (const key of [...this.#watched.keys()]) this.#forget(key);
  }

  /** Resolves when every check that is watched now has been answered at least once. */
  async settled(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ answered }) => answered.promise));
  }

  #follow(snapshot: Snapshot): void {
    const wanted = checksOf(snapshot);
    for (const key of [...this.#watched.keys()]) {
      if (wanted.has(key)) continue;
      this.#forget(key);
      void this.#apply({ type: "dropHealth", checkKey: key });
    }
    for (const [key, check] of wanted) {
      if (this.#watched.has(key)) continue;
      this.#watched.set(key, {
        check,
        history: UNPROBED,
        timer: undefined,
        running: undefined,
        answered: Promise.withResolvers(),
      });
      this.#enqueue(key);
    }
  }

  #forget(key: string): void {
    const watched = this.#watched.get(key);
    this.#watched.delete(key);
    this.#waiting.delete(key);
    watched?.timer?.cancel();
    watched?.running?.abort();
    watched?.answered.resolve();
  }

  #enqueue(key: string): void {
    this.#waiting.add(key);
    this.#startWaiting();
  }

  async #run(key: string): Promise<void> {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    this.#running += 1;
    watched.running = new AbortController();
    const result = await this.#ask(watched.check, watched.running);
    watched.running = undefined;
    this.#running -= 1;
    this.#startWaiting();
    if (this.#watched.get(key) === watched) await this.#conclude(key, watched, result);
  }

  #startWaiting(): void {
    for (const key of this.#waiting) {
      if (this.#running >= MAX_PROBES_AT_ONCE) return;
      this.#waiting.delete(key);
      void this.#run(key);
    }
  }

  async #ask(check: CheckSpec, running: AbortController): Promise<ProbeResult> {
    const probe = this.#ports.probes.get(check.kind);
    if (probe === undefined) return { ok: false, reason: `there is no check of kind "${check.kind}"` };
    const late = Promise.withResolvers<ProbeResult>();
    const timer = this.#ports.clock.schedule(PROBE_TIMEOUT_MS, () => {
      // First the answer, then the end: a probe that ends at once does not get to word it.
      late.resolve({ ok: false, reason: `no answer to the check within ${PROBE_TIMEOUT_MS / 1000} s` });
      running.abort();
    });
    try {
      return await Promise.race([probe.probe(check, running.signal), late.promise]);
    } catch (error) {
      return { ok: false, reason: `the check failed: ${String(error)}` };
    } finally {
      timer.cancel();
    }
  }

  async #conclude(key: string, watched: Watched, result: ProbeResult): Promise<void> {
    watched.history = judge(watched.history, result, this.#ports.clock.now());
    const interval = nextProbeIn(watched.history) * (1 + JITTER * (this.#ports.random() * 2 - 1));
    watched.timer = this.#ports.clock.schedule(interval, () => this.#enqueue(key));
    await this.#apply({ type: "setHealth", checkKey: key, health: watched.history.health });
    watched.answered.resolve();
  }

  async #apply(command: Command): Promise<void> {
    try {
      await this.#ports.store.apply(command);
    } catch (error) {
      this.#ports.onError?.(error);
    }
  }
}

function checksOf(snapshot: Snapshot): Map<string, CheckSpec> {
  const checks = new Map<string, CheckSpec>();
  for (const { check } of snapshot.toolsets.values()) if (check !== undefined) checks.set(checkKey(check), check);
  for (const { tool } of snapshot.tools.values())
    if (tool.check !== undefined) checks.set(checkKey(tool.check), tool.check);
  return checks;
}
