import { ToolgateClientError } from "../client-error.ts";
import type { ListedTool, ListedToolset } from "../listing.ts";
import type { ToolsetEvent } from "./events.ts";
import type { WatchOptions } from "./watch.ts";

/** The gateway's tools as they are now, kept by a watch. */
export interface ToolsetView {
  /** Resolves when the list is whole; rejects with a ToolgateClientError where it cannot be had. */
  readonly ready: Promise<void>;
  /** By name; those that cannot be called now only where asked for. */
  tools(options?: { readonly includeUnavailable?: boolean }): readonly ListedTool[];
  /** Undefined for an unknown name. */
  tool(name: string): ListedTool | undefined;
  /** By name. */
  toolsets(): readonly ListedToolset[];
  /** Calls `listener` after each change; gives back what ends that. */
  onChange(listener: () => void): () => void;
  /** Why the view is no longer kept up to date; undefined while it is. */
  readonly failure: ToolgateClientError | undefined;
  /** Ends the watch; what is known stays readable. */
  close(): void;
}

/** Where the events come from: a client. */
export interface Watching {
  watchToolsets(options: WatchOptions): AsyncIterable<ToolsetEvent>;
}

/** Starts a view. While a lost connection is being mended, or a snapshot comes anew, it shows what was known before. */
export function createToolsetView(client: Watching, options: WatchOptions = {}): ToolsetView {
  const closing = new AbortController();
  const signals = [closing.signal, options.signal].filter((signal) => signal !== undefined);
  const listeners = new Set<() => void>();
  const known = new KnownToolsets();
  const ready = Promise.withResolvers<void>();
  let failure: ToolgateClientError | undefined;
  const changed = () => {
    // Apart, so that a listener that throws does not end the watch.
    for (const listener of listeners) queueMicrotask(listener);
  };
  const follow = async () => {
    for await (const event of client.watchToolsets({ ...options, signal: AbortSignal.any(signals) })) {
      if (known.hear(event)) changed();
      if (event.type === "synced") ready.resolve();
    }
    throw new ToolgateClientError("CANCELLED", "The view was closed.", { mayHaveRun: false });
  };
  follow().catch((thrown: unknown) => {
    failure = thrown as ToolgateClientError;
    ready.reject(failure);
  });
  // Not everyone waits for it.
  ready.promise.catch(() => {});
  return {
    ready: ready.promise,
    tools: ({ includeUnavailable = false } = {}) =>
      known.tools().filter(({ health }) => includeUnavailable || health.state !== "unavailable"),
    tool: (name) => known.tool(name),
    toolsets: () => known.toolsets(),
    onChange(listener) {
      // Its own function, so that the same listener may be added twice.
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    get failure() {
      return failure;
    },
    close: () => closing.abort(),
  };
}

interface State {
  readonly toolsets: Map<string, ListedToolset>;
  readonly tools: Map<string, ListedTool>;
}

const emptyState = (): State => ({ toolsets: new Map(), tools: new Map() });

/** What follows from the events of a watch. */
class KnownToolsets {
  #shown = emptyState();
  /** The snapshot that comes in; shown once it is whole. */
  #coming: State | undefined = emptyState();

  /** Whether what is shown changed. */
  hear(event: ToolsetEvent): boolean {
    if (event.type === "reset") {
      this.#coming = emptyState();
      return false;
    }
    if (event.type === "synced") {
      if (this.#coming === undefined) return false;
      this.#shown = this.#coming;
      this.#coming = undefined;
      return true;
    }
    apply(event, this.#coming ?? this.#shown);
    return this.#coming === undefined;
  }

  tools(): ListedTool[] {
    return byName(this.#shown.tools);
  }

  tool(name: string): ListedTool | undefined {
    return this.#shown.tools.get(name);
  }

  toolsets(): ListedToolset[] {
    return byName(this.#shown.toolsets);
  }
}

function apply(event: Exclude<ToolsetEvent, { type: "reset" | "synced" }>, state: State): void {
  if (event.type === "removed") {
    state.toolsets.delete(event.toolset);
    for (const { name, toolset } of [...state.tools.values()]) if (toolset === event.toolset) state.tools.delete(name);
    return;
  }
  const { toolset } = event;
  if (event.type === "changed") {
    // A tool that moved to another toolset may have been told of there already.
    const isHere = (name: string) => state.tools.get(name)?.toolset === toolset.name;
    for (const name of event.removedTools.filter(isHere)) state.tools.delete(name);
  }
  state.toolsets.set(toolset.name, toolset);
  for (const tool of event.type === "added" ? event.tools : event.changedTools) state.tools.set(tool.name, tool);
}

function byName<T extends { readonly name: string }>(items: ReadonlyMap<string, T>): T[] {
  return [...items.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
