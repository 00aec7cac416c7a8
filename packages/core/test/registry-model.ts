import type { Command, RegisterCommand, ToolsetOffer } from "../src/registry/commands.ts";
import type { Snapshot } from "../src/registry/snapshot.ts";
import type { Tool } from "../src/tool/tool.ts";

interface ModelTool {
  readonly owner: string;
  readonly revision: string;
  readonly toolset: string;
  readonly leases: readonly string[];
}

interface ModelLease {
  readonly owner: string;
  readonly durationMs: number;
  readonly expiresAt: number;
  readonly superseded: readonly string[];
}

export interface ModelAnswer {
  readonly outcomes: readonly string[];
  readonly known: boolean;
  readonly removed: readonly string[];
}

const DONE: ModelAnswer = { outcomes: [], known: true, removed: [] };
const NOT_KNOWN: ModelAnswer = { ...DONE, known: false };

/**
 * Who has which name, said as simply as possible and without a thought for
 * speed: a toolset is no more than what its tools name, and a lease's tools
 * are those that list it.
 */
export class RegistryModel {
  readonly tools = new Map<string, ModelTool>();
  readonly leases = new Map<string, ModelLease>();
  readonly aliases = new Map<string, string>();

  apply(command: Command): ModelAnswer {
    const answer = this.#apply(command);
    for (const [id, lease] of this.leases) {
      if (this.#toolsOf(id).length + lease.superseded.length === 0) this.leases.delete(id);
    }
    for (const [alias, toolset] of this.aliases) {
      if (this.#ownerOf(toolset) === undefined) this.aliases.delete(alias);
    }
    if (command.type === "register") this.#claimAliases(command, answer);
    return answer;
  }

  #apply(command: Command): ModelAnswer {
    switch (command.type) {
      case "register":
        return this.#register(command);
      case "renew":
        return this.#renew(command);
      case "deregister":
        return this.#deregister(command);
      case "expire": {
        const ids = [...this.leases.keys()].filter((id) => (this.leases.get(id)?.expiresAt ?? 0) <= command.now);
        return { ...DONE, removed: ids.flatMap((id) => this.#leave(id, () => true)).sort() };
      }
      default:
        return DONE;
    }
  }

  #register(command: RegisterCommand): ModelAnswer {
    const { id, durationMs, expiresAt } = command.lease;
    const owner = command.registrant.id;
    const held = this.leases.get(id);
    if (held !== undefined && held.owner !== owner) {
      return { ...DONE, outcomes: command.toolsets.flatMap(({ tools }) => tools.map(() => "FORBIDDEN")) };
    }
    this.leases.set(id, { owner, durationMs, expiresAt, superseded: held?.superseded ?? [] });
    const seen = new Set<string>();
    const outcomes = command.toolsets.flatMap((offer) => this.#offer(command, offer, seen));
    const wanted = (name: string) => !command.replace || seen.has(name) || command.keep.has(name);
    const removed = this.#toolsOf(id).filter((name) => !wanted(name) && this.#removeInstance(name, id));
    const superseded = (this.leases.get(id)?.superseded ?? []).filter(
      (name) => wanted(name) && this.tools.get(name)?.owner === owner && !this.#toolsOf(id).includes(name),
    );
    this.leases.set(id, { owner, durationMs, expiresAt, superseded });
    return { ...DONE, outcomes, removed: removed.sort() };
  }

  #offer(command: RegisterCommand, offer: ToolsetOffer, seen: Set<string>): string[] {
    const owner = command.registrant.id;
    const forbidden = (this.#ownerOf(offer.name) ?? owner) !== owner;
    return offer.tools.map((tool) => {
      const again = seen.has(tool.name);
      seen.add(tool.name);
      if (again) return "AMBIGUOUS_NAME";
      if ((this.tools.get(tool.name)?.owner ?? owner) !== owner) return "NAME_TAKEN";
      if (forbidden) return "FORBIDDEN";
      return this.#put(tool, owner, command.lease.id);
    });
  }

  #put({ name, revision, toolset }: Tool, owner: string, lease: string): string {
    const before = this.tools.get(name);
    const others = before?.leases.filter((id) => id !== lease) ?? [];
    const same = before?.revision === revision && before.toolset === toolset;
    this.tools.set(name, { owner, revision, toolset, leases: same ? [...others, lease] : [lease] });
    if (before === undefined) return "registered";
    if (same) return "unchanged";
    for (const id of others) this.#supersede(id, name);
    return "updated";
  }

  #supersede(id: string, name: string): void {
    const lease = this.leases.get(id) as ModelLease;
    this.leases.set(id, { ...lease, superseded: [...lease.superseded.filter((other) => other !== name), name] });
  }

  #renew(command: Extract<Command, { type: "renew" }>): ModelAnswer {
    const lease = this.leases.get(command.leaseId);
    if (lease?.owner !== command.registrantId || lease.expiresAt <= command.now) return NOT_KNOWN;
    if (lease.superseded.some((name) => this.tools.get(name)?.owner !== lease.owner)) return NOT_KNOWN;
    this.leases.set(command.leaseId, { ...lease, expiresAt: command.now + lease.durationMs });
    return DONE;
  }

  #deregister({ leaseId, registrantId, tools }: Extract<Command, { type: "deregister" }>): ModelAnswer {
    if (this.leases.get(leaseId)?.owner !== registrantId) return NOT_KNOWN;
    return { ...DONE, removed: this.#leave(leaseId, (name) => tools.length === 0 || tools.includes(name)).sort() };
  }

  #leave(id: string, chosen: (name: string) => boolean): string[] {
    const lease = this.leases.get(id) as ModelLease;
    this.leases.set(id, { ...lease, superseded: lease.superseded.filter((name) => !chosen(name)) });
    return this.#toolsOf(id).filter((name) => chosen(name) && this.#removeInstance(name, id));
  }

  /** Says whether the tool is gone. */
  #removeInstance(name: string, id: string): boolean {
    const tool = this.tools.get(name) as ModelTool;
    const leases = tool.leases.filter((other) => other !== id);
    if (leases.length > 0) this.tools.set(name, { ...tool, leases });
    else this.tools.delete(name);
    return leases.length === 0;
  }

  /** Offered toolsets first give up what they do not want any more, then each in turn takes what is free. */
  #claimAliases({ toolsets }: RegisterCommand, { outcomes }: ModelAnswer): void {
    const wanted = new Map<string, string[]>();
    let place = 0;
    for (const { name, tools, aliases } of toolsets) {
      const own = outcomes.slice(place, place + tools.length);
      place += tools.length;
      const accepted = own.some((outcome) => ["registered", "updated", "unchanged"].includes(outcome));
      if (accepted) wanted.set(name, [...(wanted.get(name) ?? []), ...aliases]);
    }
    for (const [alias, toolset] of this.aliases) {
      if (wanted.get(toolset)?.includes(alias) === false) this.aliases.delete(alias);
    }
    for (const [name, aliases] of wanted) {
      for (const alias of aliases) if (!this.aliases.has(alias)) this.aliases.set(alias, name);
    }
  }

  #ownerOf(toolset: string): string | undefined {
    return [...this.tools.values()].find((tool) => tool.toolset === toolset)?.owner;
  }

  #toolsOf(id: string): string[] {
    return [...this.tools.keys()].filter((name) => this.tools.get(name)?.leases.includes(id));
  }

  /** What the model knows, in the words of {@link knownOf}. */
  known(): unknown {
    const tools = [...this.tools].map(([name, tool]) => [name, { ...tool, leases: tool.leases.toSorted() }]);
    const leases = [...this.leases].map(([id, { owner, expiresAt, superseded }]) => [
      id,
      { owner, expiresAt, superseded: superseded.toSorted(), tools: this.#toolsOf(id).sort() },
    ]);
    return { tools: byName(tools), leases: byName(leases), aliases: byName([...this.aliases]) };
  }
}

/** The part of a snapshot that the model knows too. */
export function knownOf(snapshot: Snapshot): unknown {
  const tools = [...snapshot.tools].map(([name, { tool, registrant, instances }]) => {
    const leases = instances.map(({ leaseId }) => leaseId);
    return [name, { owner: registrant.id, revision: tool.revision, toolset: tool.toolset, leases }];
  });
  const leases = [...snapshot.leases].map(([id, lease]) => {
    const superseded = [...lease.superseded].sort();
    return [id, { owner: lease.registrantId, expiresAt: lease.expiresAt, superseded, tools: [...lease.tools].sort() }];
  });
  return { tools: byName(tools), leases: byName(leases), aliases: byName([...snapshot.aliases]) };
}

function byName(entries: readonly (readonly unknown[])[]): unknown {
  return entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}
