import { setTimeout as delay } from "node:timers/promises";
import type { CallsInFlight } from "./calls/calls-in-flight.ts";
import type { ProviderServer } from "./calls/provider-server.ts";
import { callBack, type ProviderLog } from "./log.ts";
import type { GatewayLink } from "./registration/gateway-link.ts";
import type { GatewayProblem } from "./registration/gateway-problem.ts";
import type { Lease } from "./registration/lease.ts";
import type { RegisterOutcome } from "./registration/outcome.ts";
import type { Random } from "./registration/pacing.ts";
import { Registration } from "./registration/registration.ts";
import type { ProviderState, ServeOptions } from "./serve-options.ts";

/** A running provider. */
export interface Provider {
  readonly state: ProviderState;
  /** Why the state is "connecting"; undefined otherwise. */
  readonly problem: string | undefined;
  /** What became of each tool at the last registration; empty before the first. */
  readonly outcomes: readonly RegisterOutcome[];
  /** "HOST:PORT" at which the gateway calls this process. */
  readonly address: string;
  readonly instanceId: string;
  /**
   * Deregisters, takes no new calls, lets those that run finish within the
   * grace time, and ends. Calling it again waits for the same end. Never rejects.
   */
  stop(): Promise<void>;
}

export interface ProviderParts {
  readonly address: string;
  readonly instanceId: string;
  readonly server: ProviderServer;
  readonly link: GatewayLink;
  readonly lease: Lease;
  readonly calls: CallsInFlight;
  readonly graceMs: number;
  readonly random: Random;
  readonly log: ProviderLog;
  readonly onState: ServeOptions["onState"];
  readonly onRefused: ServeOptions["onRefused"];
}

/** Handlers whose signal was just aborted get so long to answer. */
const LAST_WORDS_MS = 500;

export class RunningProvider implements Provider {
  readonly #parts: ProviderParts;
  readonly #registration: Registration;
  #state: ProviderState = "connecting";
  #problem: string | undefined;
  #kept: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #atStop: () => void = () => {};

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    const { lease, link, random, log, onRefused } = parts;
    this.#registration = new Registration({
      lease,
      onLost: link.onLost,
      random,
      log,
      onRefused: (outcome) => callBack(log, "onRefused", () => onRefused?.(outcome)),
      onChange: (registered, problem) => {
        if (this.#stopped === undefined) this.#enter(registered ? "registered" : "connecting", problem);
      },
    });
  }

  get state(): ProviderState {
    return this.#state;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get outcomes(): readonly RegisterOutcome[] {
    return this.#registration.outcomes;
  }

  get address(): string {
    return this.#parts.address;
  }

  get instanceId(): string {
    return this.#parts.instanceId;
  }

  /** The first try to register. Gives the problem, where it did not come about. */
  attempt(): Promise<GatewayProblem | undefined> {
    return this.#registration.attempt();
  }

  /** Keeps the registration from now on. `atStop` runs when it ends. */
  keep(atStop: () => void): void {
    this.#atStop = atStop;
    this.#kept = this.#registration.keep();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { lease, server, link, calls, log } = this.#parts;
    this.#enter("draining", undefined);
    this.#registration.end();
    await this.#kept;
    await lease.end().catch((error: unknown) => {
      log.warn({ error }, "could not deregister; the gateway forgets the tools when the lease ends");
    });
    // Not before: until here the gateway still sends calls.
    calls.close();
    await this.#drain();
    server.destroy();
    link.close();
    this.#atStop();
    this.#enter("stopped", undefined);
  }

  async #drain(): Promise<void> {
    const { server, calls, graceMs, log } = this.#parts;
    const drained = Promise.all([server.drain().catch(() => {}), calls.idle()]);
    if (await settlesWithin(drained, graceMs)) return;
    log.warn({ calls: calls.count }, "the grace time is over; aborting what still runs");
    calls.abort(new DOMException("The provider is stopping", "AbortError"));
    await settlesWithin(drained, LAST_WORDS_MS);
  }

  #enter(state: ProviderState, problem: string | undefined): void {
    const changed = state !== this.#state;
    this.#state = state;
    this.#problem = problem;
    const { onState, log } = this.#parts;
    if (changed && onState !== undefined) callBack(log, "onState", () => onState(state, problem));
  }
}

async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const settled = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return settled;
}
