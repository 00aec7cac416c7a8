import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { type RegisterRequestSchema, ToolGatewayService } from "@toolgate/contract";
import type { GatewayLink } from "./gateway-link.ts";
import { outcomeOf, type RegisterOutcome } from "./outcome.ts";

/** A registration may be large, and is told to a store; the others are small. */
const REGISTER_TIMEOUT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** Below this, a busy machine would be taken for a gateway that is away. */
const LEAST_TIMEOUT_MS = 1_000;
const DEREGISTER_TIMEOUT_MS = 2_000;

export interface LeaseTerms {
  /** The whole registration, sent as it is each time. */
  readonly request: MessageInitShape<typeof RegisterRequestSchema> & { readonly leaseSecret: string };
  /** What to count with where the gateway does not say how long the lease is. */
  readonly leaseMs: number;
}

/** The three requests about one registration, and what the gateway granted. */
export class Lease {
  readonly #link: GatewayLink;
  readonly #terms: LeaseTerms;
  #id: string | undefined;
  #ms: number;

  constructor(link: GatewayLink, terms: LeaseTerms) {
    this.#link = link;
    this.#terms = terms;
    this.#ms = terms.leaseMs;
  }

  /** Milliseconds that the registration lasts without a heartbeat. */
  get ms(): number {
    return this.#ms;
  }

  /** @throws GatewayProblem */
  async register(signal: AbortSignal): Promise<RegisterOutcome[]> {
    const { register } = ToolGatewayService.method;
    const response = await this.#link.send(register, this.#terms.request, { timeoutMs: REGISTER_TIMEOUT_MS, signal });
    this.#id = response.leaseId;
    this.#ms = response.lease === undefined ? this.#terms.leaseMs : durationMs(response.lease);
    return response.outcomes.map(outcomeOf);
  }

  /**
   * Whether the gateway knows the lease; then it is renewed.
   *
   * @throws GatewayProblem
   */
  async renew(signal: AbortSignal): Promise<boolean> {
    if (this.#id === undefined) return false;
    const { heartbeat } = ToolGatewayService.method;
    const timeoutMs = Math.min(HEARTBEAT_TIMEOUT_MS, Math.max(this.#ms / 3, LEAST_TIMEOUT_MS));
    const request = { leaseId: this.#id, leaseSecret: this.#terms.request.leaseSecret };
    const response = await this.#link.send(heartbeat, request, { timeoutMs, signal });
    if (response.known && response.lease !== undefined) this.#ms = durationMs(response.lease);
    return response.known;
  }

  /**
   * Gives the lease back, where there is one.
   *
   * @throws GatewayProblem
   */
  async end(): Promise<void> {
    if (this.#id === undefined) return;
    const { deregister } = ToolGatewayService.method;
    const request = { leaseId: this.#id, leaseSecret: this.#terms.request.leaseSecret };
    await this.#link.send(deregister, request, { timeoutMs: DEREGISTER_TIMEOUT_MS });
    this.#id = undefined;
  }
}
