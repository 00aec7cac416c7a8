import type { JsonObject } from "../json/json.ts";
import type { AuditFilter } from "../ports/audit-log.ts";

export const AUDIT_KINDS = ["call", "outcome", "registration", "admin"] as const;

/** One thing that happened. What does not apply is empty, or 0. */
export interface AuditEntry {
  /**
   * `call`: a call, however it ended. `outcome`: how a call ended that was
   * handed back to the agent, as the agent says. `registration`: tools that
   * came or went over the network. `admin`: something that an operator did.
   */
  readonly kind: (typeof AUDIT_KINDS)[number];
  /** When it began, in milliseconds since the epoch. */
  readonly time: number;
  /** Milliseconds from then to its end. */
  readonly latencyMs: number;
  /** The id of who did it; empty on a gateway without keys. */
  readonly caller: string;
  /** Through which door: "grpc", "http" or "connect". */
  readonly door: string;
  /** Names the call; an `outcome` has that of its call. */
  readonly callId: string;
  readonly sessionId: string;
  /** The tool's own name; of an unknown tool what was asked for, cut to 128 characters. */
  readonly tool: string;
  readonly toolset: string;
  /** As "kind:name". */
  readonly backend: string;
  /** What was done, where it was no call: "register", "reload", "disable_tool". */
  readonly action: string;
  /** The status of the envelope; "success" or "error" for others. */
  readonly status: string;
  /** The error's code. */
  readonly code: string;
  readonly backendMs: number;
  /** How often the backend was tried. */
  readonly attempts: number;
  /** SHA-256 of the canonical arguments, in hex. */
  readonly argumentsSha256: string;
  /** The arguments, without what looks like a secret. */
  readonly arguments?: JsonObject;
  /** More, in words; at most 500 characters. */
  readonly detail: string;
}

/** What an entry says where nothing is said of it. */
export const EMPTY_AUDIT_ENTRY: Omit<AuditEntry, "kind" | "time" | "status"> = {
  latencyMs: 0,
  caller: "",
  door: "",
  callId: "",
  sessionId: "",
  tool: "",
  toolset: "",
  backend: "",
  action: "",
  code: "",
  backendMs: 0,
  attempts: 0,
  argumentsSha256: "",
  detail: "",
};

/** Whether an entry is one that was asked for. */
export function fitsAuditFilter(entry: AuditEntry, { caller, tool, callId, kind, since }: AuditFilter): boolean {
  return (
    (caller === undefined || entry.caller === caller) &&
    (tool === undefined || entry.tool === tool) &&
    (callId === undefined || entry.callId === callId) &&
    (kind === undefined || entry.kind === kind) &&
    (since === undefined || entry.time >= since)
  );
}
