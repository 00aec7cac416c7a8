import type { MissingTools, ToolFilter, ToolList } from "@toolgate/client";
import { EXIT } from "../exit-codes.ts";
import { type GatewayOptions, withGateway } from "../gateway-options.ts";
import { toolDetails, toolsetDetails, toolTable } from "../render/tool-list.ts";
import { shown, type Terminal } from "../terminal.ts";

export interface ListToolsCommandOptions extends GatewayOptions {
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly toolset?: string;
  readonly query?: string;
  readonly all?: boolean;
}

/** `toolgate list-tools`: what there is. Sources that could not be read are named on stderr. */
export async function listToolsCommand(options: ListToolsCommandOptions, terminal: Terminal): Promise<number> {
  const { toolset, query, all = false, json = false } = options;
  const filter: ToolFilter = {
    // People are told how many tools are hidden, so the gateway is asked for all of them.
    includeUnavailable: all || !json,
    ...(toolset === undefined ? {} : { toolset }),
    ...(query === undefined ? {} : { query }),
  };
  const list = await withGateway(options, terminal, (client, signal) => client.listTools(filter, { signal }));
  warnOfMissing(list.missing, terminal);
  if (json) {
    const { toolListToJson } = await import("../../transport/http/json.ts");
    terminal.out.write(`${toolListToJson(list.message)}\n`);
    return EXIT.ok;
  }
  const tools = all ? list.tools : list.tools.filter(({ health }) => health.state !== "unavailable");
  if (options.verbose) tellDetails({ tools, toolsets: list.toolsets }, terminal);
  else if (tools.length > 0) terminal.out.write(toolTable(tools, terminal.out));
  tellCount(tools.length, list.tools.length - tools.length, terminal);
  if (list.tools.length === 0) terminal.err.write(`${NO_TOOLS[list.emptyReason] ?? "No tools."}\n`);
  return EXIT.ok;
}

/** An empty list, by its reason. */
const NO_TOOLS: Readonly<Record<string, string>> = {
  no_match: "No tools that fit.",
  not_permitted: "No tools: there are some that fit, but this key may not call them.",
  not_listed: "No tools: this key may call some that fit, but they are not listed to it.",
};

/** Toolsets too whose tools are all hidden: why they are is what the reader looks for. */
function tellDetails({ tools, toolsets }: Pick<ToolList, "tools" | "toolsets">, { out }: Terminal): void {
  const parts = [toolDetails(tools, out), toolsetDetails(toolsets, out)];
  out.write(parts.filter((part) => part !== "").join("\n"));
}

function warnOfMissing(missing: readonly MissingTools[], { err }: Terminal): void {
  for (const { source, reason } of missing) {
    err.write(`${err.style("yellow", "warning:")} tools are missing: ${shown(`${source}: ${reason}`, err)}\n`);
  }
}

function tellCount(listed: number, hidden: number, { err }: Terminal): void {
  if (hidden === 0) return;
  const more =
    listed === 0 ? `${tools(hidden)}, but none` : `${tools(hidden)} more, but ${hidden === 1 ? "it" : "they"}`;
  err.write(
    err.style("dim", `There ${hidden === 1 ? "is" : "are"} ${more} cannot be called now: toolgate list-tools --all`),
  );
  err.write("\n");
}

function tools(count: number): string {
  return count === 1 ? "1 tool" : `${count} tools`;
}
