import type { CheckSpec } from "../tool/tool.ts";
import type { ToolsetOffer } from "./commands.ts";
import { Overlay } from "./overlay.ts";
import {
  checkKey,
  type Instance,
  type Lease,
  type Registrant,
  type Snapshot,
  type ToolEntry,
  type ToolsetEntry,
} from "./snapshot.ts";

/** The next snapshot in the making. Knows whether anything that can be listed changed. */
export class Draft {
  readonly #base: Snapshot;
  readonly #tools: Overlay<ToolEntry>;
  readonly #toolsets: Overlay<ToolsetEntry>;
  readonly #aliases: Overlay<string>;
  readonly #leases: Overlay<Lease>;
  /** By toolset: its tools that came (true) or went (false). */
  readonly #moves = new Map<string, Map<string, boolean>>();
  /** By lease: tools that it does not serve any more. */
  readonly #superseded = new Map<string, Set<string>>();
  /** By toolset: the aliases it asks for. */
  readonly #wanted = new Map<string, Set<string>>();

  constructor(base: Snapshot) {
    this.#base = base;
    this.#tools = new Overlay(base.tools);
    this.#toolsets = new Overlay(base.toolsets);
    this.#aliases = new Overlay(base.aliases);
    this.#leases = new Overlay(base.leases);
  }

  tool(name: string): ToolEntry | undefined {
    return this.#tools.get(name);
  }

  toolset(name: string): ToolsetEntry | undefined {
    return this.#toolsets.get(name);
  }

  lease(id: string): Lease | undefined {
    return this.#leases.get(id);
  }

  /** Writes a lease; one that has nothing left ends. */
  putLease(lease: Lease): void {
    if (lease.tools.size + lease.superseded.size > 0) this.#leases.set(lease.id, lease);
    else this.#leases.delete(lease.id);
  }

  /** The tool has a new definition, and this lease stays behind. Its instance is the caller's to remove. */
  supersede(leaseId: string, tool: string): void {
    entryFor(this.#superseded, leaseId, () => new Set<string>()).add(tool);
  }

  putTool(entry: ToolEntry): void {
    const { name, toolset } = entry.tool;
    const before = this.#tools.get(name)?.tool.toolset;
    if (before !== toolset) {
      if (before !== undefined) this.#move(before, name, false);
      this.#move(toolset, name, true);
    }
    this.#tools.set(name, entry);
  }

  /** Takes one instance away; the tool goes with its last one. Says whether the tool is gone. */
  removeInstance(name: string, leaseId: string): boolean {
    const entry = this.#tools.get(name);
    if (entry === undefined || !entry.instances.some((instance) => instance.leaseId === leaseId)) return false;
    const instances = entry.instances.filter((instance) => instance.leaseId !== leaseId);
    if (instances.length > 0) {
      this.#tools.set(name, { ...entry, instances });
      return false;
    }
    this.#tools.delete(name);
    this.#move(entry.tool.toolset, name, false);
    return true;
  }

  /**
   * Makes or updates a toolset that will have tools. Of several offers of one
   * toolset the first one's source and check count, and the aliases of all.
   */
  offerToolset(offer: ToolsetOffer, registrant: Registrant): void {
    const wanted = this.#wanted.get(offer.name);
    if (wanted !== undefined) {
      for (const alias of offer.aliases) wanted.add(alias);
      return;
    }
    this.#wanted.set(offer.name, new Set(offer.aliases));
    const before = this.#toolsets.get(offer.name);
    this.#toolsets.set(offer.name, {
      name: offer.name,
      registrant: before?.registrant ?? registrant,
      source: offer.source,
      aliases: before?.aliases ?? [],
      ...(offer.check === undefined ? {} : { check: offer.check }),
      tools: before?.tools ?? [],
    });
  }

  /** The finished snapshot; where nothing that can be listed changed, with the same generation. */
  finish(): Snapshot {
    this.#settleSuperseded();
    this.#settleMembers();
    this.#settleAliases();
    const base = this.#base;
    const next = {
      ...base,
      tools: this.#tools.finish(sameEntry),
      toolsets: this.#toolsets.finish(sameToolset),
      aliases: this.#aliases.finish((a, b) => a === b),
      leases: this.#leases.finish((a, b) => a === b),
    };
    const visible = next.tools !== base.tools || next.toolsets !== base.toolsets || next.aliases !== base.aliases;
    return visible ? { ...next, generation: base.generation + 1 } : next;
  }

  #move(toolset: string, tool: string, here: boolean): void {
    entryFor(this.#moves, toolset, () => new Map<string, boolean>()).set(tool, here);
  }

  #settleSuperseded(): void {
    for (const [id, names] of this.#superseded) {
      const lease = this.#leases.get(id);
      if (lease === undefined) continue;
      const tools = new Set([...lease.tools].filter((name) => !names.has(name)));
      this.#leases.set(id, { ...lease, tools, superseded: new Set([...lease.superseded, ...names]) });
    }
  }

  /** Writes the lists of members, and drops toolsets that have none any more. */
  #settleMembers(): void {
    for (const [name, moves] of this.#moves) {
      const toolset = this.#toolsets.get(name);
      if (toolset === undefined) continue;
      const stayed = toolset.tools.filter((tool) => !moves.has(tool));
      const came = [...moves.keys()].filter((tool) => moves.get(tool));
      const tools = [...stayed, ...came].sort();
      if (tools.length > 0) this.#toolsets.set(name, { ...toolset, tools });
      else this.#dropToolset(toolset);
    }
  }

  #dropToolset(toolset: ToolsetEntry): void {
    this.#toolsets.delete(toolset.name);
    for (const alias of toolset.aliases) this.#aliases.delete(alias);
  }

  /** Comes last, and frees before it claims: so an alias can go from one toolset to another in one step. */
  #settleAliases(): void {
    for (const [name, wanted] of this.#wanted) {
      for (const alias of this.#toolsets.get(name)?.aliases ?? []) {
        if (!wanted.has(alias)) this.#aliases.delete(alias);
      }
    }
    for (const [name, wanted] of this.#wanted) {
      const toolset = this.#toolsets.get(name);
      if (toolset === undefined) continue;
      const aliases = [...wanted].filter((alias) => (this.#aliases.get(alias) ?? name) === name).sort();
      for (const alias of aliases) this.#aliases.set(alias, name);
      this.#toolsets.set(name, { ...toolset, aliases });
    }
  }
}

function entryFor<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function sameEntry(a: ToolEntry, b: ToolEntry): boolean {
  return a.tool === b.tool && a.registrant.id === b.registrant.id && sameInstances(a.instances, b.instances);
}

export function sameInstances(a: readonly Instance[], b: readonly Instance[]): boolean {
  return (
    a.length === b.length &&
    a.every((instance, i) => instance.leaseId === b[i]?.leaseId && instance.address === b[i]?.address)
  );
}

function sameToolset(a: ToolsetEntry, b: ToolsetEntry): boolean {
  return (
    a.registrant.id === b.registrant.id &&
    a.source === b.source &&
    sameCheck(a.check, b.check) &&
    sameNames(a.aliases, b.aliases) &&
    sameNames(a.tools, b.tools)
  );
}

function sameCheck(a: CheckSpec | undefined, b: CheckSpec | undefined): boolean {
  return a === undefined || b === undefined ? a === b : checkKey(a) === checkKey(b);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
