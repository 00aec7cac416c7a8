import { setTimeout as delay } from "node:timers/promises";
import type { ProviderLog } from "../log.ts";
import { GatewayProblem } from "./gateway-problem.ts";
import type { Lease } from "./lease.ts";
import { isContested, isRefused, type RefusedOutcome, type RegisterOutcome } from "./outcome.ts";
import { backOffMs, heartbeatMs, heartbeatsToRetry, MAX_REFUSED_WAIT_MS, MAX_WAIT_MS, type Random } from "./pacing.ts";

export interface RegistrationPorts {
  readonly lease: Lease;
  /** Hears when the connection to the gateway is gone. Returns how to stop hearing. */
  readonly onLost: (listener: () => void) => () => void;
  readonly random: Random;
  readonly log: ProviderLog;
  /** Hears of each refusal that is new or has changed. */
  readonly onRefused: (outcome: RefusedOutcome) => void;
  /** Hears when the gateway is found and when it is lost, and then why. */
  readonly onChange: (registered: boolean, problem: string | undefined) => void;
}

/** How long a request that is under way may take when the provider is told to stop. */
const LAST_REQUEST_MS = 2_000;

/**
 * Keeps the tools registered, whatever becomes of the gateway: three
 * heartbeats a lease; a lease that is not known any more, a lost connection or
 * a gateway that is away all lead to registering again, with back-off.
 */
export class Registration {
  readonly #ports: RegistrationPorts;
  /** Ends waiting. */
  readonly #ending = new AbortController();
  /** Ends a request that is under way, a little later. */
  readonly #cutting = new AbortController();
  #outcomes: readonly RegisterOutcome[] = [];
  #problem: GatewayProblem | undefined;
  #failures = 0;
  #contestedTries = 0;
  #heartbeatsToRetry = Number.POSITIVE_INFINITY;

  constructor(ports: RegistrationPorts) {
    this.#ports = ports;
  }

  /** Of the last registration, in the order of the tools; empty before the first. */
  get outcomes(): readonly RegisterOutcome[] {
    return this.#outcomes;
  }

  /** One attempt. Gives the problem, where it did not come about. */
  async attempt(): Promise<GatewayProblem | undefined> {
    return this.#round(() => this.#register());
  }

  /** Works until {@link end}. Never rejects. */
  async keep(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      if (this.#failures > 0) await this.#wait(backOffMs(this.#failures, this.#longestWaitMs(), this.#ports.random));
      else await this.#waitForHeartbeat();
      if (signal.aborted) return;
      await this.#round(() => this.#renewOrRegister());
    }
  }

  /** Stops waiting; {@link keep} resolves once the request that is under way is answered or 2 s are over. */
  end(): void {
    this.#ending.abort();
    setTimeout(() => this.#cutting.abort(), LAST_REQUEST_MS).unref();
  }

  async #round(work: () => Promise<void>): Promise<GatewayProblem | undefined> {
    try {
      await work();
      this.#failures = 0;
      this.#tell(undefined);
      return undefined;
    } catch (thrown) {
      const problem =
        thrown instanceof GatewayProblem
          ? thrown
          : new GatewayProblem(`The registration failed: ${(thrown as Error).message}`, false, thrown);
      this.#failures += 1;
      this.#tell(problem);
      return problem;
    }
  }

  async #renewOrRegister(): Promise<void> {
    const { lease, log } = this.#ports;
    this.#heartbeatsToRetry -= 1;
    if (this.#failures === 0 && this.#heartbeatsToRetry > 0) {
      if (await lease.renew(this.#cutting.signal)) return;
      log.warn({}, "the gateway does not know this registration any more; registering again");
    }
    await this.#register();
  }

  async #register(): Promise<void> {
    const before = this.#outcomes;
    const outcomes = await this.#ports.lease.register(this.#cutting.signal);
    this.#outcomes = outcomes;
    const contested = outcomes.some(isContested);
    this.#contestedTries = contested ? this.#contestedTries + 1 : 0;
    this.#heartbeatsToRetry = contested ? heartbeatsToRetry(this.#contestedTries) : Number.POSITIVE_INFINITY;
    this.#report(before, outcomes);
  }

  #report(before: readonly RegisterOutcome[], outcomes: readonly RegisterOutcome[]): void {
    const { log, onRefused } = this.#ports;
    const told = new Set(before.map((outcome) => JSON.stringify(outcome)));
    const refused = outcomes.filter(isRefused);
    for (const outcome of refused) {
      if (told.has(JSON.stringify(outcome))) continue;
      const { tool, reason, message } = outcome;
      log.error({ tool, reason }, `the gateway refused a tool: ${message}`);
      onRefused(outcome);
    }
    const accepted = outcomes.length - refused.length;
    const acceptedBefore = before.filter((outcome) => !isRefused(outcome)).length;
    if (this.#failures > 0 || before.length === 0 || accepted !== acceptedBefore) {
      log.info({ tools: accepted, refused: refused.length }, "registered");
    }
  }

  #tell(problem: GatewayProblem | undefined): void {
    const { log, onChange } = this.#ports;
    if (problem !== undefined && problem.message !== this.#problem?.message && !this.#ending.signal.aborted) {
      const words = `${problem.message} Trying again until it works.`;
      if (problem.refused) log.error({}, words);
      else log.warn({}, words);
    }
    this.#problem = problem;
    onChange(problem === undefined, problem?.message);
  }

  #longestWaitMs(): number {
    return this.#problem?.refused === true ? MAX_REFUSED_WAIT_MS : MAX_WAIT_MS;
  }

  /** Until it is time, or the connection is lost: then there is no need to wait for the heartbeat to find out. */
  async #waitForHeartbeat(): Promise<void> {
    const lost = new AbortController();
    const forget = this.#ports.onLost(() => lost.abort());
    await this.#wait(heartbeatMs(this.#ports.lease.ms, this.#ports.random), lost.signal);
    forget();
    if (!lost.signal.aborted || this.#ending.signal.aborted) return;
    this.#failures = 1;
    this.#tell(new GatewayProblem("The connection to the gateway is lost.", false));
    await this.#wait(backOffMs(1, MAX_WAIT_MS, this.#ports.random));
  }

  async #wait(ms: number, sooner?: AbortSignal): Promise<void> {
    const signal = sooner === undefined ? this.#ending.signal : AbortSignal.any([sooner, this.#ending.signal]);
    await delay(ms, undefined, { signal }).catch(() => {});
  }
}
