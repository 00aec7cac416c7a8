import type { Tool } from "../tool/tool.ts";
import type { CommandResult, RegisterCommand, RegisterOutcome, ToolsetOffer } from "./commands.ts";
import { Draft, sameInstances } from "./draft.ts";
import type { Instance, Lease, Snapshot, ToolEntry } from "./snapshot.ts";

/** One registration on its way through. */
interface Registration {
  readonly draft: Draft;
  readonly command: RegisterCommand;
  /** Names that have been offered so far, taken or not. */
  readonly offered: Set<string>;
  /** What the lease serves. */
  readonly tools: Set<string>;
}

/** Registers tool by tool: a refused one leaves its neighbours, and what was there before, alone. */
export function register(
  snapshot: Snapshot,
  command: RegisterCommand,
): { readonly snapshot: Snapshot; readonly result: CommandResult } {
  const draft = new Draft(snapshot);
  const held = draft.lease(command.lease.id);
  if (held !== undefined && held.registrantId !== command.registrant.id) {
    return { snapshot, result: { outcomes: refuseAll(command), known: true, removed: [] } };
  }
  const registration: Registration = { draft, command, offered: new Set(), tools: new Set(held?.tools) };
  const outcomes = command.toolsets.flatMap((offer) => offerToolset(registration, offer));
  const removed = command.replace ? removeOthers(registration) : [];
  const { tools } = registration;
  const superseded = stillSuperseded(registration, held);
  draft.putLease({ ...command.lease, registrantId: command.registrant.id, tools, superseded });
  return { snapshot: draft.finish(), result: { outcomes, known: true, removed } };
}

export function isOwn(entry: ToolEntry | undefined, registrantId: string): boolean {
  return entry?.registrant.id === registrantId;
}

function refuseAll(command: RegisterCommand): RegisterOutcome[] {
  return command.toolsets.flatMap(({ tools }) =>
    tools.map(({ name }) => ({
      tool: name,
      status: "refused",
      reason: "FORBIDDEN",
      message: "This lease belongs to another registrant. Register under a lease of your own.",
    })),
  );
}

function offerToolset(registration: Registration, offer: ToolsetOffer): RegisterOutcome[] {
  const { draft, command, offered, tools } = registration;
  const refusal = refuseToolset(draft, command, offer.name);
  if (refusal === undefined && offer.tools.some((tool) => refuseTool(registration, tool) === undefined)) {
    draft.offerToolset(offer, command.registrant);
  }
  return offer.tools.map((tool) => {
    const outcome = offerTool(registration, tool, refusal);
    offered.add(tool.name);
    if (outcome.status !== "refused") tools.add(tool.name);
    return outcome;
  });
}

function refuseToolset(draft: Draft, command: RegisterCommand, name: string): RegisterOutcome | undefined {
  const owner = draft.toolset(name)?.registrant;
  if (owner === undefined || owner.id === command.registrant.id) return undefined;
  return {
    tool: "",
    status: "refused",
    reason: "FORBIDDEN",
    message: `The toolset "${name}" belongs to ${owner.label}. Register into a toolset of your own.`,
  };
}

function refuseTool({ draft, command, offered }: Registration, tool: Tool): RegisterOutcome | undefined {
  if (offered.has(tool.name)) {
    return {
      tool: tool.name,
      status: "refused",
      reason: "AMBIGUOUS_NAME",
      message: `The name "${tool.name}" occurs twice in this registration; the first one counts.`,
    };
  }
  const holder = draft.tool(tool.name)?.registrant;
  if (holder === undefined || holder.id === command.registrant.id) return undefined;
  return {
    tool: tool.name,
    status: "refused",
    reason: "NAME_TAKEN",
    message: `The name "${tool.name}" is taken by ${holder.label}. A taken name is never overwritten: choose another.`,
  };
}

/** @param foreign why the toolset is not to be had; a taken name is told before that */
function offerTool(registration: Registration, tool: Tool, foreign: RegisterOutcome | undefined): RegisterOutcome {
  const refusal = refuseTool(registration, tool) ?? foreign;
  if (refusal !== undefined) return { ...refusal, tool: tool.name };
  const { draft, command } = registration;
  const before = draft.tool(tool.name);
  const instance = instanceOf(command);
  if (before === undefined) {
    draft.putTool({ tool, registrant: command.registrant, instances: [instance] });
    return { tool: tool.name, status: "registered" };
  }
  const same = before.tool.revision === tool.revision && before.tool.toolset === tool.toolset;
  if (same) {
    addInstance(draft, before, tool, instance);
    return { tool: tool.name, status: "unchanged" };
  }
  // Other instances serve the old definition; they come back when they register the new one.
  draft.putTool({ tool, registrant: before.registrant, instances: [instance] });
  for (const { leaseId } of before.instances) {
    if (leaseId !== instance.leaseId) draft.supersede(leaseId, tool.name);
  }
  return { tool: tool.name, status: "updated" };
}

function addInstance(draft: Draft, before: ToolEntry, tool: Tool, instance: Instance): void {
  const others = before.instances.filter((other) => other.leaseId !== instance.leaseId);
  const instances = [...others, instance].sort((a, b) => (a.leaseId < b.leaseId ? -1 : 1));
  const moved = before.tool.source !== tool.source;
  if (!moved && sameInstances(before.instances, instances)) return;
  draft.putTool({ ...before, tool: moved ? tool : before.tool, instances });
}

function instanceOf(command: RegisterCommand): Instance {
  const leaseId = command.lease.id;
  return command.address === undefined ? { leaseId } : { leaseId, address: command.address };
}

function isWanted({ command, offered }: Registration, name: string): boolean {
  return offered.has(name) || command.keep.has(name);
}

function removeOthers(registration: Registration): string[] {
  const { draft, command, tools } = registration;
  const gone = [...tools].filter((name) => !isWanted(registration, name));
  for (const name of gone) tools.delete(name);
  return gone.filter((name) => draft.removeInstance(name, command.lease.id)).sort();
}

/** What the lease served once, still wants, does not serve now, and somebody else does. */
function stillSuperseded(registration: Registration, held: Lease | undefined): Set<string> {
  const { draft, command, tools } = registration;
  const names = [...(held?.superseded ?? [])].filter(
    (name) =>
      !tools.has(name) &&
      isOwn(draft.tool(name), command.registrant.id) &&
      (!command.replace || isWanted(registration, name)),
  );
  return new Set(names);
}
