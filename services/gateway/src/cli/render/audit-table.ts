import type { AuditEntry } from "@toolgate/client";
import { displayWidth, padEnd } from "../display-width.ts";
import { type Screen, type Style, shown } from "../terminal.ts";

const HEADER = ["TIME", "CALLER", "DOOR", "WHAT", "STATUS", "MS", "CALL"] as const;
const STATUS = HEADER.indexOf("STATUS");
const GAP = "  ";
const STYLES: Readonly<Record<string, Style>> = { success: "green", delegated: "dim", error: "red" };

/** One line for each entry. */
export function auditTable(entries: readonly AuditEntry[], screen: Screen): string {
  const rows = entries.map((entry) => rowOf(entry).map((cell) => shown(cell, screen)));
  const widths = HEADER.map((_, column) =>
    Math.max(...[HEADER, ...rows].map((row) => displayWidth(row[column] ?? ""))),
  );
  const line = (row: readonly string[], style: (text: string, column: number) => string) =>
    widths
      .map((width, column) => style(padEnd(row[column] ?? "", width), column))
      .join(GAP)
      .trimEnd();
  const header = line(HEADER, (text) => screen.style("bold", text));
  const body = rows.map((row, i) => {
    const style = STYLES[entries[i]?.status ?? ""];
    return line(row, (text, column) => (column === STATUS && style !== undefined ? screen.style(style, text) : text));
  });
  return `${[header, ...body].join("\n")}\n`;
}

function rowOf(entry: AuditEntry): string[] {
  const { time, caller, door, status, code, latencyMs, callId } = entry;
  const when = time?.toISOString().replace("T", " ") ?? "";
  return [when, caller || "-", door, whatOf(entry), code || status, latencyMs.toFixed(1), callId];
}

/** A call by its tool; what else was done by its name, and what it was done to. */
function whatOf({ kind, action, tool, toolset, detail }: AuditEntry): string {
  if (kind === "call") return tool;
  if (kind === "outcome") return `${tool} (the agent's run)`;
  const about = [tool || toolset, detail && `(${detail})`].filter((part) => part !== "");
  return [action, ...about].join(" ");
}
