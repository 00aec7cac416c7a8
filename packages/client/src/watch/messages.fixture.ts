import { create } from "@bufbuild/protobuf";
import {
  HealthState,
  ToolSchema,
  ToolsetSchema,
  type WatchToolsetsResponse,
  WatchToolsetsResponseSchema,
} from "@toolgate/contract";
import type { ToolsetEvent } from "./events.ts";

type Event = WatchToolsetsResponse["event"];

/** Messages of a gateway's watch, as one would write them down: "added a t1 t2 @3". */
export function message(words: string, epoch = "one"): WatchToolsetsResponse {
  const [what = "", ...rest] = words.split(" ");
  const generation = rest.at(-1)?.replace("@", "") ?? "0";
  const event = eventOf(what, rest.slice(0, -1));
  const whole = create(WatchToolsetsResponseSchema, { generation, epoch });
  whole.event = event;
  return whole;
}

function eventOf(what: string, [name = "", ...tools]: readonly string[]): Event {
  const toolset = create(ToolsetSchema, { name });
  const state = (tool: string) => (tool.startsWith("!") ? HealthState.UNAVAILABLE : HealthState.HEALTHY);
  const toolOf = (tool: string) =>
    create(ToolSchema, {
      name: tool.replace("!", ""),
      toolset: name,
      inputSchema: "{}",
      health: { state: state(tool) },
    });
  const come = tools.filter((tool) => !tool.startsWith("-")).map(toolOf);
  const gone = tools.filter((tool) => tool.startsWith("-")).map((tool) => tool.slice(1));
  const { event } = create(WatchToolsetsResponseSchema, {
    event: {
      added: { case: "added" as const, value: { toolset, tools: come } },
      changed: { case: "changed" as const, value: { toolset, changedTools: come, removedTools: gone } },
      removed: { case: "removed" as const, value: { toolset: name } },
      health: { case: "healthChanged" as const, value: { toolset, changedTools: come } },
      synced: { case: "synced" as const, value: {} },
      heartbeat: { case: "heartbeat" as const, value: {} },
      reset: { case: "reset" as const, value: {} },
    }[what] ?? { case: undefined },
  });
  return event;
}

/** The same words for an event. */
export function wordsOf(event: ToolsetEvent): string {
  const at = `@${event.generation}`;
  if (event.type === "synced" || event.type === "reset") return `${event.type} ${at}`;
  if (event.type === "removed") return `removed ${event.toolset} ${at}`;
  const tools = (event.type === "added" ? event.tools : event.changedTools).map(({ name }) => name);
  const gone = event.type === "changed" ? event.removedTools.map((name) => `-${name}`) : [];
  return [event.type, event.toolset.name, ...tools, ...gone, at].join(" ");
}
