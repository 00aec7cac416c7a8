import { createHash } from "node:crypto";
import {
  type CheckSpec,
  type Clock,
  type CommandResult,
  canonicalJson,
  definitionAsJson,
  type RegisterOutcome,
  type Registrant,
  type RegistryStore,
  type Timer,
  type Tool,
  type ToolDefinition,
  type ToolsetOffer,
} from "@toolgate/core";
import type { AdmissionRule } from "./admission.ts";

/** What one source, file set or process offers. Every source of tools ends in {@link Registrar.register}. */
export interface Offer {
  readonly registrant: Registrant;
  /** Tells this registrant's processes and toolsets apart; one lease for each. */
  readonly instanceId: string;
  /** Unset: the offer does not expire. */
  readonly leaseMs?: number;
  readonly address?: string;
  readonly toolsets: readonly OfferedToolset[];
  /** `toolsets` is all there is: what this instance had and does not name is removed. */
  readonly replace: boolean;
  /** Rules beyond those for every source. */
  readonly rules?: readonly AdmissionRule[];
}

export interface OfferedToolset {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly check?: CheckSpec;
  readonly tools: readonly OfferedTool[];
}

export interface OfferedTool {
  readonly definition: ToolDefinition;
  /** Such as "file weather_tool.yaml". */
  readonly source: string;
}

export interface OfferResult {
  /** One for each offered tool, in order. */
  readonly outcomes: readonly RegisterOutcome[];
  readonly leaseId: string;
  readonly leaseMs?: number;
  readonly removed: readonly string[];
  readonly generation: number;
}

export interface RegistrarPorts {
  readonly store: RegistryStore;
  readonly clock: Clock;
  readonly rules: readonly AdmissionRule[];
  /** Hears of every outcome: a refusal is never silent. */
  readonly onOutcome: (outcome: RegisterOutcome, registrant: Registrant) => void;
  /** Hears that the store could not let leases expire; it is tried again at the next tick. */
  readonly onError?: (error: unknown) => void;
}

const EXPIRY_TICK_MS = 1_000;

/** The one register: admits definitions, gives leases, and lets them end. */
export class Registrar {
  readonly #ports: RegistrarPorts;
  #ticker: Timer | undefined;

  constructor(ports: RegistrarPorts) {
    this.#ports = ports;
  }

  /** Starts letting leases expire, within a second of their end. */
  start(): void {
    const tick = () => {
      this.#ticker = this.#ports.clock.schedule(EXPIRY_TICK_MS, tick);
      this.expire().catch((error: unknown) => this.#ports.onError?.(error));
    };
    this.#ticker = this.#ports.clock.schedule(EXPIRY_TICK_MS, tick);
  }

  stop(): void {
    this.#ticker?.cancel();
  }

  async register(offer: Offer): Promise<OfferResult> {
    const { store, clock } = this.#ports;
    const admitted = admit(offer, [...this.#ports.rules, ...(offer.rules ?? [])]);
    const leaseId = leaseIdOf(offer.registrant.id, offer.instanceId);
    const durationMs = offer.leaseMs ?? Number.POSITIVE_INFINITY;
    const result = await store.apply({
      type: "register",
      registrant: offer.registrant,
      lease: { id: leaseId, durationMs, expiresAt: clock.now() + durationMs },
      toolsets: admitted.toolsets,
      replace: offer.replace,
      // What was good before and is refused now stays as it was.
      keep: new Set([...admitted.refused.values()].map((outcome) => outcome.tool)),
      ...(offer.address === undefined ? {} : { address: offer.address }),
    });
    const outcomes = interleave(admitted.refused, result.outcomes);
    for (const outcome of outcomes) this.#ports.onOutcome(outcome, offer.registrant);
    const { generation } = store.snapshot();
    const granted = offer.leaseMs === undefined ? {} : { leaseMs: offer.leaseMs };
    return { outcomes, leaseId, removed: result.removed, generation, ...granted };
  }

  /** `known` is false where this registrant holds no such lease. */
  heartbeat(leaseId: string, registrantId: string): Promise<CommandResult> {
    return this.#ports.store.apply({ type: "renew", leaseId, registrantId, now: this.#ports.clock.now() });
  }

  /** Removes some tools of a lease, or all of them where none is named. */
  deregister(leaseId: string, registrantId: string, tools: readonly string[]): Promise<CommandResult> {
    return this.#ports.store.apply({ type: "deregister", leaseId, registrantId, tools });
  }

  expire(): Promise<CommandResult> {
    return this.#ports.store.apply({ type: "expire", now: this.#ports.clock.now() });
  }
}

interface Admitted {
  readonly toolsets: readonly ToolsetOffer[];
  /** By the tool's place in the offer. */
  readonly refused: ReadonlyMap<number, RegisterOutcome>;
}

function admit(offer: Offer, rules: readonly AdmissionRule[]): Admitted {
  const refused = new Map<number, RegisterOutcome>();
  let place = 0;
  const toolsets = offer.toolsets.map((toolset) => {
    const tools: Tool[] = [];
    for (const { definition, source } of toolset.tools) {
      const refusal = refuse(definition, rules);
      if (refusal === undefined) tools.push(asTool(definition, toolset.name, source));
      else refused.set(place, { tool: definition.name, status: "refused", ...refusal });
      place += 1;
    }
    const { name, aliases = [], check } = toolset;
    return { name, source: offer.registrant.label, aliases, tools, ...(check === undefined ? {} : { check }) };
  });
  return { toolsets, refused };
}

function refuse(definition: ToolDefinition, rules: readonly AdmissionRule[]) {
  for (const rule of rules) {
    const refusal = rule(definition);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function asTool(definition: ToolDefinition, toolset: string, source: string): Tool {
  const revision = createHash("sha256")
    .update(canonicalJson(definitionAsJson(definition)))
    .digest("hex")
    .slice(0, 16);
  return { ...definition, toolset, source, revision };
}

/** Puts the outcomes of the admitted tools back between the refused ones. */
function interleave(
  refused: ReadonlyMap<number, RegisterOutcome>,
  admitted: readonly RegisterOutcome[],
): RegisterOutcome[] {
  const rest = admitted[Symbol.iterator]();
  return Array.from({ length: refused.size + admitted.length }, (_, place) => {
    return refused.get(place) ?? (rest.next().value as RegisterOutcome);
  });
}

/** The same registrant and instance always get the same lease, so registering again renews it. */
function leaseIdOf(registrantId: string, instanceId: string): string {
  return createHash("sha256").update(`${registrantId}\0${instanceId}`).digest("hex").slice(0, 32);
}
