import type { Health, LastError, ListedTool, ListedToolset } from "@toolgate/client";
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

/** Everything that is known of each tool, for the one who has to find out where it comes from and what ails it. */
export function toolDetails(tools: readonly ListedTool[], screen: Screen): string {
  return tools.map((tool) => detailsOf(tool, screen)).join("\n");
}

/** The same of toolsets. */
export function toolsetDetails(toolsets: readonly ListedToolset[], screen: Screen): string {
  return toolsets.map((toolset) => detailsOfToolset(toolset, screen)).join("\n");
}

function detailsOf(tool: ListedTool, screen: Screen): string {
  return block(tool, screen, [
    ["description", firstLine(tool.description)],
    ...healthRows(tool.health),
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
    ["last error", wordsOf(tool.lastError, tool.name)],
  ]);
}

function detailsOfToolset(toolset: ListedToolset, screen: Screen): string {
  const named = { ...toolset, name: `toolset ${toolset.name}` };
  return block(named, screen, [
    ...healthRows(toolset.health),
    ["source", toolset.source],
    ["aliases", toolset.aliases.join(", ")],
    ["tools", `${toolset.tools}, of which ${toolset.availableTools} can be called`],
    ["last error", wordsOf(toolset.lastError, "")],
  ]);
}

type Detail = readonly [name: string, value: string];

function healthRows({ reason, checkedAt }: Health): Detail[] {
  return [
    ["reason", reason],
    ["checked", checkedAt?.toISOString() ?? ""],
  ];
}

/** "2026-01-31T12:00:00.000Z in a call: BACKEND_TIMEOUT, The backend …"; empty where nothing went wrong. */
function wordsOf(error: LastError | undefined, tool: string): string {
  if (error === undefined) return "";
  const place = error.during === "call" ? "in a call" : `at its ${error.during}`;
  const whose = error.tool === tool || error.tool === "" ? "" : ` of ${error.tool}`;
  const code = error.code === "" ? "" : `${error.code}, `;
  return `${error.at?.toISOString() ?? ""} ${place}${whose}: ${code}${firstLine(error.message)}`.trim();
}

function block(head: Pick<ListedTool, "name" | "health">, screen: Screen, details: readonly Detail[]): string {
  const { name, health } = head;
  const lines = details
    .filter(([, value]) => value !== "")
    .map(([label, value]) => `  ${label.padEnd(12)}  ${shown(value, screen)}`);
  const state = screen.style(HEALTH_STYLES[health.state], health.state);
  return `${screen.style("bold", shown(name, screen))}  ${state}\n${lines.join("\n")}\n`;
}
