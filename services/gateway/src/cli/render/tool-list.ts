import type { Health, ListedTool } from "@toolgate/client";
import { cutTo, displayWidth, padEnd } from "../display-width.ts";
import { type Screen, type Style, shown } from "../terminal.ts";

const HEADER: Row = ["NAME", "TOOLSET", "HEALTH", "DESCRIPTION"];
const GAP = "  ";
/** A description is not worth a line where it has less room than this. */
const MIN_DESCRIPTION = 10;
const HEALTH_STYLES: Readonly<Record<Health["state"], Style>> = {
  healthy: "green",
  degraded: "yellow",
  unavailable: "red",
  unknown: "dim",
};

type Row = readonly [name: string, toolset: string, health: string, description: string];

/** One line for each tool; the description is cut where there is a terminal to fit. */
export function toolTable(tools: readonly ListedTool[], screen: Screen): string {
  const rows = tools.map((tool) => rowOf(tool, screen));
  const widths = [0, 1, 2].map((column) =>
    Math.max(...[HEADER, ...rows].map((row) => displayWidth(row[column] ?? ""))),
  );
  const used = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const room = Math.max(MIN_DESCRIPTION, (screen.columns ?? Number.POSITIVE_INFINITY) - used);
  const line = (row: Row, style: (text: string, column: number) => string) => {
    const cells = widths.map((width, column) => style(padEnd(row[column] ?? "", width), column));
    return [...cells, style(cutTo(row[3], room), 3)].join(GAP).trimEnd();
  };
  const header = line(HEADER, (text) => screen.style("bold", text));
  const body = rows.map((row, i) => {
    const healthStyle = HEALTH_STYLES[tools[i]?.health.state ?? "unknown"];
    return line(row, (text, column) => (column === 2 ? screen.style(healthStyle, text) : text));
  });
  return `${[header, ...body].join("\n")}\n`;
}

function rowOf({ name, toolset, health, description }: ListedTool, screen: Screen): Row {
  return [shown(name, screen), shown(toolset, screen), health.state, shown(firstLine(description), screen)];
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
