import type { Health, ListedTool } from "@toolgate/client";
import { cutTo, displayWidth, padEnd } from "../display-width.ts";
import { type Screen, type Style, shown } from "../terminal.ts";

const HEADER = ["NAME", "TOOLSET", "HEALTH", "DESCRIPTION"];
const GAP = "  ";
/** A description is not worth a line where it has less room than this. */
const MIN_DESCRIPTION = 10;
const HEALTH_STYLES: Readonly<Record<Health["state"], Style>> = {
  healthy: "green",
  degraded: "yellow",
  unavailable: "red",
  unknown: "dim",
};

/** One line for each tool; the description is cut where there is a terminal to fit. */
export function toolTable(tools: readonly ListedTool[], screen: Screen): string {
  const rows = tools.map(({ name, toolset, health, description }) => [
    name,
    toolset,
    health.state,
    firstLine(description),
  ]);
  const widths = HEADER.map((_, column) =>
    Math.max(...[HEADER, ...rows].map((row) => displayWidth(row[column] as string))),
  );
  const before = widths.slice(0, 3).reduce((sum, width) => sum + width + GAP.length, 0);
  const room =
    screen.columns === undefined ? Number.POSITIVE_INFINITY : Math.max(MIN_DESCRIPTION, screen.columns - before);
  const line = (cells: readonly string[], style: (column: number, text: string) => string) =>
    cells
      .map((cell, i) => style(i, i === 3 ? cutTo(cell, room) : padEnd(cell, widths[i] as number)))
      .join(GAP)
      .trimEnd();
  const header = line(HEADER, (_, text) => screen.style("bold", text));
  const body = rows.map((row) =>
    line(row, (column, text) =>
      column === 2 ? screen.style(HEALTH_STYLES[row[2] as Health["state"]], text) : shown(text, screen),
    ),
  );
  return `${[header, ...body].join("\n")}\n`;
}

function firstLine(text: string): string {
  return text.trim().split(/\s*[\r\n]/u, 1)[0] ?? "";
}

/** Everything that is known of each tool, for the one who has to find out where it comes from. */
export function toolDetails(tools: readonly ListedTool[], screen: Screen): string {
  return tools.map((tool) => detailsOf(tool, screen)).join("\n");
}

function detailsOf(tool: ListedTool, screen: Screen): string {
  const { health } = tool;
  const state = screen.style(HEALTH_STYLES[health.state], health.state);
  const rows: [string, string][] = [
    ["description", firstLine(tool.description)],
    ["reason", health.reason],
    ["toolset", tool.toolset],
    ["source", tool.source],
    ["backend", tool.execution === "client" ? "none: the agent runs it" : tool.backend],
    ["owner", tool.owner],
    ["contact", tool.contact],
    ["instances", String(tool.instances)],
    ["capabilities", tool.capabilities.join(", ")],
    ["tags", tool.tags.join(", ")],
    ["scopes", tool.scopes.join(", ")],
    ["revision", tool.revision],
  ];
  const lines = rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `  ${name.padEnd(12)}  ${shown(value, screen)}`);
  return `${screen.style("bold", shown(tool.name, screen))}  ${state}\n${lines.join("\n")}\n`;
}
