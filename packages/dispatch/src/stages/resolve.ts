import {
  type Call,
  excerpt,
  isConcealed,
  isListed,
  mayCall,
  nearNames,
  type Outcome,
  type RegistryStore,
  type ResolvedCall,
  resolveCapability,
  resolveTool,
  type Snapshot,
  type ToolEntry,
  ToolgateError,
} from "@toolgate/core";
import type { Stage } from "../stage.ts";
import type { Tracked } from "./envelope.ts";

/** Finds the tool: by name, or the first usable one that offers the capability. */
export function resolve(registry: Pick<RegistryStore, "snapshot">): Stage<Tracked, Outcome, ResolvedCall, Outcome> {
  return {
    name: "resolve",
    run(tracked, next) {
      const { call } = tracked;
      const snapshot = registry.snapshot();
      const entry = find(snapshot, call);
      if (entry === undefined) throw notFound(snapshot, call);
      tracked.entry = entry;
      return next({ ...call, entry, snapshot });
    },
  };
}

function find(snapshot: Snapshot, { target, caller }: Call): ToolEntry | undefined {
  switch (target.kind) {
    case "tool": {
      const entry = resolveTool(snapshot, target.name);
      return entry === undefined || isConcealed(caller, entry.tool) ? undefined : entry;
    }
    case "capability":
      return resolveCapability(snapshot, target.name).find((entry) => mayCall(caller, entry.tool));
    case "pipeline":
      return undefined;
  }
}

function notFound(snapshot: Snapshot, call: Call): ToolgateError {
  const { kind, name } = call.target;
  const near = nearNames(name, namesFor(snapshot, call));
  const hint =
    near.length === 0 ? "List the tools to see what there is." : `Did you mean ${near.map(quoted).join(" or ")}?`;
  return new ToolgateError("TOOL_NOT_FOUND", `There is no ${kind} named ${quoted(excerpt(name, 128))}. ${hint}`, {
    nearNames: near,
  });
}

/** Only what is listed to this caller is ever suggested. */
function namesFor(snapshot: Snapshot, { target, caller }: Call): Iterable<string> {
  if (target.kind === "pipeline") return [];
  const allowed = [...snapshot.tools.values()].filter((entry) => isListed(caller, entry.tool));
  if (target.kind === "tool") return allowed.map((entry) => entry.tool.name);
  return new Set(allowed.flatMap((entry) => entry.tool.capabilities));
}

function quoted(name: string): string {
  return `"${name}"`;
}
