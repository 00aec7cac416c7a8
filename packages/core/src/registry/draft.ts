import type { CheckSpec } from "../tool/tool.ts";
import type { ToolsetOffer } from "./commands.ts";
import type { Instance, Lease, Registrant, Snapshot, ToolEntry, ToolsetEntry } from "./snapshot.ts";

/**
 * The next snapshot in the making. Copies a map only when it is first written
 * to, and knows whether anything visible changed.
 */
export class Draft {
  readonly #base: Snapshot;
  #tools: Map<string, ToolEntry> | undefined;
  #toolsets: Map<string, ToolsetEntry> | undefined;
  #aliases: Map<string, string> | undefined;
  #leases: Map<string, Lease> | undefined;
  readonly #members = new Map<string, Set<string>>();

  constructor(base: Snapshot) {
    this.#base = base;
  }

  tool(name: string): ToolEntry | undefined {
    return (this.#tools ?? this.#base.tools).get(name);
  }

  toolset(name: string): ToolsetEntry | undefined {
    return (this.#toolsets ?? this.#base.toolsets).get(name);
  }

  lease(id: string): Lease | undefined {
    return (this.#leases ?? this.#base.leases).get(id);
  }

  putLease(lease: Lease): void {
    this.#leases ??= new Map(this.#base.leases);
    this.#leases.set(lease.id, lease);
  }

  dropLease(id: string): void {
    this.#leases ??= new Map(this.#base.leases);
    this.#leases.delete(id);
  }

  putTool(entry: ToolEntry): void {
    this.#tools ??= new Map(this.#base.tools);
    const before = this.#tools.get(entry.tool.name);
    if (before !== undefined && before.tool.toolset !== entry.tool.toolset) {
      this.#membersOf(before.tool.toolset).delete(entry.tool.name);
    }
    this.#tools.set(entry.tool.name, entry);
    this.#membersOf(entry.tool.toolset).add(entry.tool.name);
  }

  /** Takes one instance away; the tool goes with its last one. */
  removeInstance(name: string, leaseId: string): boolean {
    const entry = this.tool(name);
    if (entry === undefined || !entry.instances.some((instance) => instance.leaseId === leaseId)) return false;
    const instances = entry.instances.filter((instance) => instance.leaseId !== leaseId);
    if (instances.length > 0) {
      this.putTool({ ...entry, instances });
      return false;
    }
    this.#tools ??= new Map(this.#base.tools);
    this.#tools.delete(name);
    this.#membersOf(entry.tool.toolset).delete(name);
    return true;
  }

  /** Makes or updates a toolset that will have tools. */
  offerToolset(offer: ToolsetOffer, registrant: Registrant): void {
    const before = this.toolset(offer.name);
    const aliases = this.#claimAliases(offer);
    if (before !== undefined && sameToolset(before, offer, aliases)) return;
    this.#writeToolsets().set(offer.name, {
      name: offer.name,
      registrant: before?.registrant ?? registrant,
      source: offer.source,
      aliases,
      ...(offer.check === undefined ? {} : { check: offer.check }),
      tools: before?.tools ?? [],
    });
  }

  /** The finished snapshot; the base itself where nothing visible changed. */
  finish(): Snapshot {
    this.#settleMembers();
    const visible = this.#tools ?? this.#toolsets ?? this.#aliases;
    if (visible === undefined && this.#leases === undefined) return this.#base;
    return {
      ...this.#base,
      generation: this.#base.generation + (visible === undefined ? 0 : 1),
      tools: this.#tools ?? this.#base.tools,
      toolsets: this.#toolsets ?? this.#base.toolsets,
      aliases: this.#aliases ?? this.#base.aliases,
      leases: this.#leases ?? this.#base.leases,
    };
  }

  #membersOf(toolset: string): Set<string> {
    let members = this.#members.get(toolset);
    if (members === undefined) {
      members = new Set(this.toolset(toolset)?.tools);
      this.#members.set(toolset, members);
    }
    return members;
  }

  /** Writes the lists of members, and drops toolsets that have none any more. */
  #settleMembers(): void {
    for (const [name, members] of this.#members) {
      const toolset = this.toolset(name);
      if (toolset === undefined) continue;
      if (members.size === 0) {
        this.#dropToolset(toolset);
      } else if (members.size !== toolset.tools.length || toolset.tools.some((tool) => !members.has(tool))) {
        this.#writeToolsets().set(name, { ...toolset, tools: [...members].sort() });
      }
    }
  }

  #dropToolset(toolset: ToolsetEntry): void {
    this.#writeToolsets().delete(toolset.name);
    if (toolset.aliases.length === 0) return;
    this.#aliases ??= new Map(this.#base.aliases);
    for (const alias of toolset.aliases) this.#aliases.delete(alias);
  }

  #claimAliases(offer: ToolsetOffer): readonly string[] {
    const held = this.#aliases ?? this.#base.aliases;
    const mine = [...new Set(offer.aliases)].sort().filter((alias) => (held.get(alias) ?? offer.name) === offer.name);
    const before = this.toolset(offer.name)?.aliases ?? [];
    if (sameNames(before, mine)) return before;
    this.#aliases ??= new Map(this.#base.aliases);
    for (const alias of before) this.#aliases.delete(alias);
    for (const alias of mine) this.#aliases.set(alias, offer.name);
    return mine;
  }

  #writeToolsets(): Map<string, ToolsetEntry> {
    this.#toolsets ??= new Map(this.#base.toolsets);
    return this.#toolsets;
  }
}

export function sameInstances(a: readonly Instance[], b: readonly Instance[]): boolean {
  return (
    a.length === b.length &&
    a.every((instance, i) => instance.leaseId === b[i]?.leaseId && instance.address === b[i]?.address)
  );
}

function sameToolset(before: ToolsetEntry, offer: ToolsetOffer, aliases: readonly string[]): boolean {
  return before.source === offer.source && before.aliases === aliases && sameCheck(before.check, offer.check);
}

function sameCheck(a: CheckSpec | undefined, b: CheckSpec | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
