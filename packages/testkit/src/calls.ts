import { type Call, EMPTY_SNAPSHOT, type JsonObject, type ReadyCall, type Snapshot, type Tool } from "@toolgate/core";
import { aCall, aRegistrant, aTool } from "./builders.ts";

/** A registry with these tools of "alice", each with one instance. */
export function aSnapshot(tools: readonly Tool[], parts: Partial<Snapshot> = {}): Snapshot {
  const registrant = aRegistrant();
  const entries = tools.map((tool) => [tool.name, { tool, registrant, instances: [{ leaseId: "alice-1" }] }] as const);
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))].map((name) => {
    const members = tools.filter(({ toolset }) => toolset === name).map((tool) => tool.name);
    return [name, { name, registrant, source: "test", aliases: [], tools: members.sort() }] as const;
  });
  return { ...EMPTY_SNAPSHOT, generation: 1, tools: new Map(entries), toolsets: new Map(toolsets), ...parts };
}

export interface ReadyParts extends Partial<Call> {
  readonly tool?: Tool;
  readonly args?: JsonObject;
  /** Unset: the arguments came as a value. */
  readonly argsText?: string;
  /** What the registry holds besides the tool, such as health. */
  readonly registry?: Partial<Snapshot>;
}

/** A call of a tool that was found and whose arguments were read: what the inner stages are handed. */
export function aReadyCall(parts: ReadyParts = {}): ReadyCall {
  const { tool = aTool(), args = {}, argsText, registry, ...rest } = parts;
  const snapshot = aSnapshot([tool], registry);
  const entry = snapshot.tools.get(tool.name);
  if (entry === undefined) throw new Error("The registry of a ready call needs its tool.");
  const call = aCall({ target: { kind: "tool", name: tool.name }, ...rest });
  return { ...call, entry, snapshot, args, ...(argsText === undefined ? {} : { argsText }) };
}
