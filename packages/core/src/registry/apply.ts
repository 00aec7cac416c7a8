import type { Tool } from "../tool/tool.ts";
import type { Command, CommandResult, RegisterCommand, RegisterOutcome } from "./commands.ts";
import { Draft, sameInstances } from "./draft.ts";
import type { Instance, Snapshot, ToolEntry } from "./snapshot.ts";

export interface Applied {
  readonly snapshot: Snapshot;
  readonly result: CommandResult;
}

const DONE: CommandResult = { outcomes: [], known: true, removed: [] };
const NOT_KNOWN: CommandResult = { outcomes: [], known: false, removed: [] };

/**
 * Applies one command. Guarantees: a taken name is never given to another
 * registrant; the generation grows by one exactly when something that can be
 * listed changes, and else the snapshot's generation stays.
 */
export function applyCommand(snapshot: Snapshot, command: Command): Applied {
  switch (command.type) {
    case "register":
      return register(snapshot, command);
    case "renew":
      return renew(snapshot, command);
    case "deregister":
      return deregister(snapshot, command);
    case "expire":
      return expire(snapshot, command.now);
    case "setHealth":
      return setHealth(snapshot, command);
    case "dropHealth":
      return dropHealth(snapshot, command.checkKey);
    case "setToolEnabled":
      return toggle(snapshot, "disabledTools", command.tool, command.enabled, snapshot.tools.has(command.tool));
    case "setToolsetEnabled":
      return toggle(
        snapshot,
        "disabledToolsets",
        command.toolset,
        command.enabled,
        snapshot.toolsets.has(command.toolset),
      );
  }
}

function register(snapshot: Snapshot, command: RegisterCommand): Applied {
  const draft = new Draft(snapshot);
  const held = draft.lease(command.lease.id);
  const tools = new Set(held?.tools);
  const offered = new Set<string>();
  const outcomes: RegisterOutcome[] = [];
  for (const offer of command.toolsets) {
    const refusal = refuseToolset(draft, command, offer.name);
    if (refusal === undefined && offer.tools.some((tool) => refuseTool(draft, command, tool, offered) === undefined)) {
      draft.offerToolset(offer, command.registrant);
    }
    for (const tool of offer.tools) {
      const outcome =
        refusal === undefined ? offerTool(draft, command, tool, offered) : { ...refusal, tool: tool.name };
      outcomes.push(outcome);
      offered.add(tool.name);
      if (outcome.status !== "refused") tools.add(tool.name);
    }
  }
  const removed = command.replace ? removeOthers(draft, command, tools, offered) : [];
  if (tools.size > 0) {
    draft.putLease({ ...command.lease, registrantId: command.registrant.id, tools });
  } else if (held !== undefined) {
    draft.dropLease(held.id);
  }
  return { snapshot: draft.finish(), result: { outcomes, known: true, removed } };
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

function refuseTool(
  draft: Draft,
  command: RegisterCommand,
  tool: Tool,
  offered: ReadonlySet<string>,
): RegisterOutcome | undefined {
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

function offerTool(draft: Draft, command: RegisterCommand, tool: Tool, offered: ReadonlySet<string>): RegisterOutcome {
  const refusal = refuseTool(draft, command, tool, offered);
  if (refusal !== undefined) return refusal;
  const before = draft.tool(tool.name);
  const instance = instanceOf(command);
  if (before === undefined) {
    draft.putTool({ tool, registrant: command.registrant, instances: [instance] });
    return { tool: tool.name, status: "registered" };
  }
  const same = before.tool.revision === tool.revision && before.tool.toolset === tool.toolset;
  if (!same) {
    // Other instances serve the old definition; they come back when they register the new one.
    draft.putTool({ tool, registrant: before.registrant, instances: [instance] });
    return { tool: tool.name, status: "updated" };
  }
  addInstance(draft, before, tool, instance);
  return { tool: tool.name, status: "unchanged" };
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

function removeOthers(
  draft: Draft,
  command: RegisterCommand,
  tools: Set<string>,
  offered: ReadonlySet<string>,
): string[] {
  const gone = [...tools].filter((name) => !offered.has(name) && !command.keep.has(name));
  for (const name of gone) tools.delete(name);
  return gone.filter((name) => draft.removeInstance(name, command.lease.id)).sort();
}

function renew(snapshot: Snapshot, command: Extract<Command, { type: "renew" }>): Applied {
  const lease = snapshot.leases.get(command.leaseId);
  if (lease === undefined || lease.registrantId !== command.registrantId || lease.expiresAt <= command.now) {
    return { snapshot, result: NOT_KNOWN };
  }
  const draft = new Draft(snapshot);
  draft.putLease({ ...lease, expiresAt: command.now + lease.durationMs });
  return { snapshot: draft.finish(), result: { ...DONE, leaseMs: lease.durationMs } };
}

function deregister(snapshot: Snapshot, command: Extract<Command, { type: "deregister" }>): Applied {
  const lease = snapshot.leases.get(command.leaseId);
  if (lease === undefined || lease.registrantId !== command.registrantId) return { snapshot, result: NOT_KNOWN };
  const draft = new Draft(snapshot);
  const names = command.tools.length === 0 ? lease.tools : new Set(command.tools);
  const removed = endLease(draft, lease.id, names);
  return { snapshot: draft.finish(), result: { ...DONE, removed } };
}

function expire(snapshot: Snapshot, now: number): Applied {
  const expired = [...snapshot.leases.values()].filter((lease) => lease.expiresAt <= now);
  if (expired.length === 0) return { snapshot, result: DONE };
  const draft = new Draft(snapshot);
  const removed = expired.flatMap((lease) => endLease(draft, lease.id, lease.tools));
  return { snapshot: draft.finish(), result: { ...DONE, removed: removed.sort() } };
}

/** Takes these tools from a lease, and the lease itself when it has none left. */
function endLease(draft: Draft, leaseId: string, names: ReadonlySet<string>): string[] {
  const lease = draft.lease(leaseId);
  if (lease === undefined) return [];
  const removed = [...names].filter((name) => draft.removeInstance(name, leaseId)).sort();
  const left = new Set([...lease.tools].filter((name) => !names.has(name)));
  if (left.size === 0) draft.dropLease(leaseId);
  else draft.putLease({ ...lease, tools: left });
  return removed;
}

function setHealth(snapshot: Snapshot, command: Extract<Command, { type: "setHealth" }>): Applied {
  const before = snapshot.health.get(command.checkKey);
  const same = before?.state === command.health.state && before.reason === command.health.reason;
  const health = new Map(snapshot.health).set(command.checkKey, command.health);
  // Confirming a state changes nothing that can be listed.
  const generation = snapshot.generation + (same ? 0 : 1);
  return { snapshot: { ...snapshot, health, generation }, result: DONE };
}

function dropHealth(snapshot: Snapshot, key: string): Applied {
  const health = new Map(snapshot.health);
  health.delete(key);
  return { snapshot: { ...snapshot, health }, result: DONE };
}

function toggle(
  snapshot: Snapshot,
  field: "disabledTools" | "disabledToolsets",
  name: string,
  enabled: boolean,
  known: boolean,
): Applied {
  if (!known) return { snapshot, result: NOT_KNOWN };
  if (snapshot[field].has(name) === !enabled) return { snapshot, result: DONE };
  const disabled = new Set(snapshot[field]);
  if (enabled) disabled.delete(name);
  else disabled.add(name);
  return { snapshot: { ...snapshot, [field]: disabled, generation: snapshot.generation + 1 }, result: DONE };
}
