import {
  type AuditEntry,
  backendLabel,
  type CallEnding,
  type CallInput,
  type CallObserver,
  type Clock,
  cut,
} from "@toolgate/core";
import { type AuditArguments, auditArguments } from "./audit-arguments.ts";
import type { AuditQueue } from "./audit-queue.ts";

/** What happened, and the arguments that nobody has looked at yet. */
export interface AuditItem {
  readonly entry: AuditEntry;
  readonly input?: CallInput;
}

const MAX_NAME = 128;

/** Adds an entry for each call, however it ended. */
export function callAudit(queue: Pick<AuditQueue<AuditItem>, "add">, clock: Pick<Clock, "now">): CallObserver {
  return {
    started() {},
    ended: (ending) => queue.add({ entry: entryOf(ending, clock.now()), input: ending.call.input }),
  };
}

function entryOf({ call, entry, envelope }: CallEnding, now: number): AuditEntry {
  const { latencyMs, backendMs, attempts } = envelope.meta;
  return {
    kind: "call",
    time: Math.round(now - latencyMs),
    latencyMs,
    caller: call.caller.id,
    door: call.door,
    callId: call.callId,
    sessionId: cut(call.sessionId ?? "", MAX_NAME),
    tool: entry?.tool.name ?? cut(call.target.name, MAX_NAME),
    toolset: entry?.tool.toolset ?? "",
    backend: entry === undefined ? "" : backendLabel(entry.tool),
    action: "",
    status: envelope.status,
    code: envelope.status === "error" ? envelope.error.code : "",
    backendMs,
    attempts,
    argumentsSha256: "",
    detail: "",
  };
}

/** The whole entry. */
export function finishItem({ entry, input }: AuditItem, policy: AuditArguments): AuditEntry {
  return input === undefined ? entry : { ...entry, ...auditArguments(input, policy) };
}
