import { accessKey, type Caller, isListed, resolveToolset, type Snapshot, type ToolsetEvent } from "@toolgate/core";
import type { Step } from "@toolgate/registrar";

/** What one watcher sees of the registry: what is listed to it, of the toolsets that it asked for. */
export interface WatchView {
  readonly caller: Caller;
  /** Names or aliases; empty means all. */
  readonly toolsets: readonly string[];
}

/** Equal for views that see the same. */
export function viewKey({ caller, toolsets }: WatchView): string {
  return JSON.stringify([accessKey(caller), [...toolsets].sort()]);
}

/**
 * The events of a step as they are for this view: what comes into sight is
 * added, what goes out of sight is removed, whatever really happened to it.
 * Removals first.
 */
export function eventsInView({ events, before, snapshot }: Step, view: WatchView): readonly ToolsetEvent[] {
  if (accessKey(view.caller) === "" && view.toolsets.length === 0) return events;
  const [was, is] = [new Sight(before, view), new Sight(snapshot, view)];
  const told = new Set(events.map(({ toolset }) => toolset));
  // An alias that leads elsewhere now brings or takes a toolset to which nothing happened.
  const moved = [...new Set([...was.asked, ...is.asked])].filter((name) => !told.has(name));
  const seen = [
    ...events.flatMap((event) => inSight(event, was, is)),
    ...moved.flatMap((toolset) => crossing(toolset, was, is)),
  ];
  return [...seen.filter(isRemoval), ...seen.filter((event) => !isRemoval(event))];
}

/** Whether there is such a tool and the caller is shown it. */
export function showsTool({ caller }: Pick<WatchView, "caller">, snapshot: Snapshot, name: string): boolean {
  const entry = snapshot.tools.get(name);
  return entry !== undefined && isListed(caller, entry.tool);
}

class Sight {
  /** The toolsets that are meant, where some were asked for. */
  readonly asked: ReadonlySet<string>;
  readonly #snapshot: Snapshot;
  readonly #view: WatchView;

  constructor(snapshot: Snapshot, view: WatchView) {
    this.#snapshot = snapshot;
    this.#view = view;
    this.asked = new Set(view.toolsets.flatMap((name) => resolveToolset(snapshot, name)?.name ?? []));
  }

  toolset(name: string): boolean {
    if (this.#view.toolsets.length > 0 && !this.asked.has(name)) return false;
    return this.#snapshot.toolsets.get(name)?.tools.some((tool) => this.tool(tool)) ?? false;
  }

  tool(name: string): boolean {
    return showsTool(this.#view, this.#snapshot, name);
  }
}

function inSight(event: ToolsetEvent, was: Sight, is: Sight): readonly ToolsetEvent[] {
  const { type, toolset } = event;
  if (!was.toolset(toolset) || !is.toolset(toolset)) return crossing(toolset, was, is);
  if (type === "added" || type === "removed") return [event];
  const changedTools = event.changedTools.filter((name) => is.tool(name));
  const lost = event.changedTools.filter((name) => was.tool(name) && !is.tool(name));
  const removedTools = [...event.removedTools.filter((name) => was.tool(name)), ...lost].sort();
  return [{ type, toolset, changedTools, removedTools }];
}

/** What comes into sight or goes out of it; nothing where it does neither. */
function crossing(toolset: string, was: Sight, is: Sight): readonly ToolsetEvent[] {
  if (was.toolset(toolset) === is.toolset(toolset)) return [];
  return [{ type: is.toolset(toolset) ? "added" : "removed", toolset }];
}

function isRemoval({ type }: ToolsetEvent): boolean {
  return type === "removed";
}
