import { UNPROBED } from "../tool/availability.ts";
import type { Command, CommandResult } from "./commands.ts";
import { Draft } from "./draft.ts";
import { usesCheck } from "./health.ts";
import { written } from "./layered-map.ts";
import { isOwn, register } from "./register.ts";
import type { Lease, Snapshot } from "./snapshot.ts";

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
    case "setToolEnabled": {
      const { tool: name, enabled } = command;
      return toggle(snapshot, "disabledTools", { name, enabled, exists: snapshot.tools.has(name) });
    }
    case "setToolsetEnabled": {
      const { toolset: name, enabled } = command;
      return toggle(snapshot, "disabledToolsets", { name, enabled, exists: snapshot.toolsets.has(name) });
    }
  }
}

function renew(snapshot: Snapshot, command: Extract<Command, { type: "renew" }>): Applied {
  const lease = snapshot.leases.get(command.leaseId);
  const mine = lease?.registrantId === command.registrantId && lease.expiresAt > command.now;
  if (!mine || lacksTool(snapshot, lease)) return { snapshot, result: NOT_KNOWN };
  const draft = new Draft(snapshot);
  draft.putLease({ ...lease, expiresAt: command.now + lease.durationMs });
  return { snapshot: draft.finish(), result: { ...DONE, leaseMs: lease.durationMs } };
}

/** Whether a tool that this lease served once is served by nobody now. */
function lacksTool(snapshot: Snapshot, lease: Lease): boolean {
  return [...lease.superseded].some((name) => !isOwn(snapshot.tools.get(name), lease.registrantId));
}

function deregister(snapshot: Snapshot, command: Extract<Command, { type: "deregister" }>): Applied {
  const lease = snapshot.leases.get(command.leaseId);
  if (lease === undefined || lease.registrantId !== command.registrantId) return { snapshot, result: NOT_KNOWN };
  const draft = new Draft(snapshot);
  const names = command.tools.length === 0 ? everythingOf(lease) : new Set(command.tools);
  const removed = shrinkLease(draft, lease.id, names);
  return { snapshot: draft.finish(), result: { ...DONE, removed } };
}

function expire(snapshot: Snapshot, now: number): Applied {
  const expired = [...snapshot.leases.values()].filter((lease) => lease.expiresAt <= now);
  if (expired.length === 0) return { snapshot, result: DONE };
  const draft = new Draft(snapshot);
  const removed = expired.flatMap((lease) => shrinkLease(draft, lease.id, everythingOf(lease)));
  return { snapshot: draft.finish(), result: { ...DONE, removed: removed.sort() } };
}

function everythingOf(lease: Lease): ReadonlySet<string> {
  return new Set([...lease.tools, ...lease.superseded]);
}

/** Takes these tools from a lease, which ends with its last one. Returns the names that are gone. */
function shrinkLease(draft: Draft, leaseId: string, names: ReadonlySet<string>): string[] {
  const lease = draft.lease(leaseId);
  if (lease === undefined) return [];
  const removed = [...names].filter((name) => draft.removeInstance(name, leaseId)).sort();
  draft.putLease({ ...lease, tools: without(lease.tools, names), superseded: without(lease.superseded, names) });
  return removed;
}

function without(names: ReadonlySet<string>, gone: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...names].filter((name) => !gone.has(name)));
}

function setHealth(snapshot: Snapshot, { checkKey: key, health }: Extract<Command, { type: "setHealth" }>): Applied {
  const before = snapshot.health.get(key) ?? UNPROBED.health;
  const same = before.state === health.state && before.reason === health.reason;
  // Confirming a state changes nothing that can be listed, nor does a check that nothing asks.
  const visible = !same && usesCheck(snapshot, key);
  const generation = snapshot.generation + (visible ? 1 : 0);
  return {
    snapshot: { ...snapshot, health: written(snapshot.health, new Map([[key, health]])), generation },
    result: DONE,
  };
}

function dropHealth(snapshot: Snapshot, key: string): Applied {
  if (!snapshot.health.has(key) || usesCheck(snapshot, key)) return { snapshot, result: DONE };
  return { snapshot: { ...snapshot, health: written(snapshot.health, new Map([[key, undefined]])) }, result: DONE };
}

interface Switch {
  readonly name: string;
  readonly enabled: boolean;
  readonly exists: boolean;
}

/** What is away for now can be switched on again, so that it comes back usable; only what exists can be switched off. */
function toggle(
  snapshot: Snapshot,
  field: "disabledTools" | "disabledToolsets",
  { name, enabled, exists }: Switch,
): Applied {
  const isOff = snapshot[field].has(name);
  if (!exists && !isOff) return { snapshot, result: NOT_KNOWN };
  if (isOff === !enabled) return { snapshot, result: DONE };
  const disabled = new Set(snapshot[field]);
  if (enabled) disabled.delete(name);
  else disabled.add(name);
  return { snapshot: { ...snapshot, [field]: disabled, generation: snapshot.generation + 1 }, result: DONE };
}
