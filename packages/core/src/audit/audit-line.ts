import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../json/json.ts";
import { AUDIT_KINDS, type AuditEntry, EMPTY_AUDIT_ENTRY } from "./audit-entry.ts";

/** Grows when a key changes its meaning; new keys leave it as it is. */
const VERSION = 1;

/** The keys of a line and the fields that they hold. docs/audit.md is checked against it. */
export const AUDIT_KEYS = {
  call_id: "callId",
  caller: "caller",
  door: "door",
  session_id: "sessionId",
  action: "action",
  tool: "tool",
  toolset: "toolset",
  backend: "backend",
  status: "status",
  code: "code",
  latency_ms: "latencyMs",
  backend_ms: "backendMs",
  attempts: "attempts",
  arguments_sha256: "argumentsSha256",
  arguments: "arguments",
  detail: "detail",
} as const satisfies Record<string, keyof AuditEntry>;

const FIELDS = Object.entries(AUDIT_KEYS);

/** An entry as one line of JSON, without a line break. What is empty or 0 is left out. */
export function auditLine(entry: AuditEntry, time: string): string {
  const line: JsonObject = { v: VERSION, time, kind: entry.kind };
  for (const [key, field] of FIELDS) {
    const value = entry[field];
    if (value !== undefined && value !== "" && value !== 0) line[key] = value;
  }
  return stringifyJson(line);
}

/**
 * Reads a line; `undefined` where it is none: cut by a crash, or not ours.
 *
 * @param timeOf milliseconds since the epoch of what stands under "time"; NaN where that is no time
 */
export function readAuditLine(text: string, timeOf: (time: string) => number): AuditEntry | undefined {
  const line = objectOf(text);
  if (line === undefined || line.v !== VERSION || typeof line.time !== "string") return undefined;
  const time = timeOf(line.time);
  const kind = AUDIT_KINDS.find((known) => known === line.kind);
  if (kind === undefined || !Number.isFinite(time)) return undefined;
  const entry: Record<string, JsonValue> = { ...EMPTY_AUDIT_ENTRY, status: "", kind, time };
  for (const [key, field] of FIELDS) {
    const value = line[key];
    if (field === "arguments" ? isJsonObject(value) : typeof value === typeof entry[field]) {
      entry[field] = value as JsonValue;
    }
  }
  return entry as unknown as AuditEntry;
}

function objectOf(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
