import { stringifyJson, type ToolsetEvent } from "@toolgate/client";
import { EXIT } from "../exit-codes.ts";
import { type GatewayOptions, withGateway } from "../gateway-options.ts";
import { shown, type Terminal } from "../terminal.ts";

export interface WatchCommandOptions extends GatewayOptions {
  readonly json?: boolean;
  /** Ends when the present state has been told. */
  readonly once?: boolean;
}

/** `toolgate watch`: one line for everything that happens to the toolsets, until Ctrl-C. */
export async function watchCommand(options: WatchCommandOptions, terminal: Terminal): Promise<number> {
  const { out } = terminal;
  await withGateway(options, terminal, async (client, signal) => {
    for await (const event of client.watchToolsets({ signal })) {
      out.write(options.json ? `${stringifyJson(plain(event))}\n` : shown(`${lineOf(event)}\n`, out));
      if (options.once && event.type === "synced") return;
    }
  });
  return EXIT.ok;
}

function lineOf(event: ToolsetEvent): string {
  switch (event.type) {
    case "added":
      return `+ ${event.toolset.name}  ${healthOf(event.toolset)}  ${namesOf(event.tools)}`;
    case "changed": {
      const removed = event.removedTools.map((name) => `-${name}`);
      return `~ ${event.toolset.name}  ${healthOf(event.toolset)}  ${[namesOf(event.changedTools), ...removed].filter((part) => part !== "").join(", ")}`;
    }
    case "health":
      return `! ${event.toolset.name}  ${healthOf(event.toolset)}`;
    case "removed":
      return `- ${event.toolset}`;
    case "synced":
      return `= generation ${event.generation}`;
    case "reset":
      return "= the gateway is another one, or forgot: everything is told anew";
  }
}

type Named = Extract<ToolsetEvent, { type: "added" }>;

function healthOf({ health }: Named["toolset"]): string {
  return health.reason === "" ? health.state : `${health.state} (${health.reason})`;
}

function namesOf(tools: Named["tools"]): string {
  return tools.map(({ name }) => name).join(", ");
}

/** What a program needs to keep its own list: names and health, not whole schemas. */
function plain(event: ToolsetEvent): object {
  const { type, generation, epoch } = event;
  const at = { type, generation, epoch };
  switch (event.type) {
    case "added":
      return {
        ...at,
        toolset: event.toolset.name,
        health: event.toolset.health.state,
        tools: event.tools.map(({ name }) => name),
      };
    case "changed":
      return {
        ...at,
        toolset: event.toolset.name,
        health: event.toolset.health.state,
        changed_tools: event.changedTools.map(({ name }) => name),
        removed_tools: event.removedTools,
      };
    case "health":
      return {
        ...at,
        toolset: event.toolset.name,
        health: event.toolset.health.state,
        reason: event.toolset.health.reason,
      };
    case "removed":
      return { ...at, toolset: event.toolset };
    default:
      return at;
  }
}
