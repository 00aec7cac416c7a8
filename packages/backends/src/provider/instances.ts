import type { Instance } from "@toolgate/core";

/** An instance that can be called: it has an address. */
export interface Reachable extends Instance {
  readonly address: string;
}

/** How long an instance that could not be reached is left out: at first, and at most. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** What is out for this long without being asked for is forgotten. */
const FORGET_MS = 10 * 60_000;

interface Outage {
  readonly until: number;
  readonly delayMs: number;
  /** Why it cannot be reached. */
  readonly words: string;
  /** Whether somebody is finding out if it is back. */
  trying: boolean;
}

interface Standing {
  calls: number;
  outage: Outage | undefined;
}

/** What a choice found. */
export type Choice =
  | { readonly kind: "instance"; readonly instance: Reachable; readonly due: readonly Reachable[] }
  /** Milliseconds until the first of them is tried again. */
  | { readonly kind: "all-out"; readonly words: string; readonly waitMs: number };

/**
 * Who is called next. The instance with the fewest calls in flight is, and of
 * equals each in turn. One that could not be reached is left out for a while,
 * longer each time; then a call only goes to it when no other is left.
 */
export class Instances {
  readonly #now: () => number;
  /** By lease: a process that starts again registers again, and has a clean record. */
  readonly #standings = new Map<string, Standing>();
  #turn = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Of `among`, which must not be empty. `due` are those that are out and may be tried again. */
  choose(among: readonly Reachable[]): Choice {
    this.#turn = (this.#turn + 1) % 0x3fff_ffff;
    const now = this.#now();
    const fit: Reachable[] = [];
    const due: Reachable[] = [];
    for (const instance of among) {
      const outage = this.#standings.get(instance.leaseId)?.outage;
      if (outage === undefined) fit.push(instance);
      else if (outage.until <= now) due.push(instance);
    }
    const instance = this.#leastBusy(fit) ?? this.#leastBusy(due);
    if (instance !== undefined) return { kind: "instance", instance, due: fit.length > 0 ? this.#untried(due) : [] };
    return this.#allOut(among, now);
  }

  enter(instance: Reachable): void {
    this.#standing(instance).calls += 1;
  }

  leave(instance: Reachable): void {
    const standing = this.#standing(instance);
    standing.calls -= 1;
    this.#forgetIfPlain(instance, standing);
  }

  /** It answered, or could have. */
  reached(instance: Reachable): void {
    const standing = this.#standings.get(instance.leaseId);
    if (standing?.outage === undefined) return;
    standing.outage = undefined;
    this.#forgetIfPlain(instance, standing);
  }

  /** Calls that fail together are one outage: they do not make it longer. */
  unreachable(instance: Reachable, words: string): void {
    const now = this.#now();
    const standing = this.#standing(instance);
    const before = standing.outage;
    if (before !== undefined && before.until > now) return;
    const delayMs = before === undefined ? FIRST_DELAY_MS : Math.min(MAX_DELAY_MS, before.delayMs * 2);
    standing.outage = { until: now + delayMs, delayMs, words, trying: false };
    this.#forgetOld(now);
  }

  /** Somebody finds out whether the instance is back. */
  trying(instance: Reachable): void {
    const outage = this.#standings.get(instance.leaseId)?.outage;
    if (outage !== undefined) outage.trying = true;
  }

  #untried(due: readonly Reachable[]): readonly Reachable[] {
    return due.filter(({ leaseId }) => this.#standings.get(leaseId)?.outage?.trying === false);
  }

  #leastBusy(among: readonly Reachable[]): Reachable | undefined {
    let best: Reachable | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (let step = 0; step < among.length; step += 1) {
      const instance = among[(this.#turn + step) % among.length] as Reachable;
      const calls = this.#standings.get(instance.leaseId)?.calls ?? 0;
      if (calls >= fewest) continue;
      best = instance;
      fewest = calls;
    }
    return best;
  }

  #allOut(among: readonly Reachable[], now: number): Choice {
    const outages = among.flatMap(({ leaseId }) => this.#standings.get(leaseId)?.outage ?? []);
    const words = [...new Set(outages.map((outage) => outage.words))].join("; ");
    return { kind: "all-out", words, waitMs: Math.max(1, Math.min(...outages.map(({ until }) => until)) - now) };
  }

  #standing({ leaseId }: Reachable): Standing {
    let standing = this.#standings.get(leaseId);
    if (standing === undefined) {
      standing = { calls: 0, outage: undefined };
      this.#standings.set(leaseId, standing);
    }
    return standing;
  }

  #forgetIfPlain({ leaseId }: Reachable, { calls, outage }: Standing): void {
    if (calls === 0 && outage === undefined) this.#standings.delete(leaseId);
  }

  #forgetOld(now: number): void {
    for (const [leaseId, { calls, outage }] of this.#standings) {
      if (calls === 0 && outage !== undefined && now - outage.until > FORGET_MS) this.#standings.delete(leaseId);
    }
  }
}
