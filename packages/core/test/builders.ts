import type { Call } from "../src/call/call.ts";
import { newTrail } from "../src/call/call.ts";
import { applyCommand } from "../src/registry/apply.ts";
import type { Command, RegisterCommand, ToolsetOffer } from "../src/registry/commands.ts";
import { EMPTY_SNAPSHOT, type Snapshot } from "../src/registry/snapshot.ts";
import type { Tool } from "../src/tool/tool.ts";

export function aTool(parts: Partial<Tool> = {}): Tool {
  return {
    name: "echo",
    title: "",
    description: "",
    capabilities: [],
    tags: [],
    owner: "",
    contact: "",
    annotations: {},
    execution: "gateway",
    backend: { kind: "http", name: "demo.example", settings: {} },
    timeoutMs: 30_000,
    response: { format: "auto", maxBytes: 4_194_304 },
    scopes: [],
    enabled: true,
    toolset: "demo",
    source: "test",
    revision: "1",
    ...parts,
  };
}

export function anOffer(parts: Partial<ToolsetOffer> = {}): ToolsetOffer {
  const name = parts.name ?? "demo";
  const tools = parts.tools ?? [aTool()];
  return { source: "test", aliases: [], ...parts, name, tools: tools.map((tool) => ({ ...tool, toolset: name })) };
}

export interface RegisterParts extends Partial<Omit<RegisterCommand, "registrant" | "lease">> {
  readonly by?: string;
  readonly lease?: string;
}

export function aRegister({ by = "alice", lease = `${by}-1`, ...parts }: RegisterParts = {}): RegisterCommand {
  return {
    type: "register",
    registrant: { id: by, label: `${by}'s key` },
    lease: { id: lease, durationMs: 30_000, expiresAt: 30_000 },
    toolsets: [anOffer()],
    replace: false,
    keep: new Set(),
    ...parts,
  };
}

/** The registry after these commands. */
export function registryAfter(...commands: readonly Command[]): Snapshot {
  return commands.reduce((snapshot, command) => applyCommand(snapshot, command).snapshot, EMPTY_SNAPSHOT);
}

/** The registry with these tools, in the toolsets that they name. */
export function registryOf(...tools: readonly Tool[]): Snapshot {
  const names = [...new Set(tools.map((tool) => tool.toolset))];
  const toolsets = names.map((name) => anOffer({ name, tools: tools.filter((tool) => tool.toolset === name) }));
  return registryAfter(aRegister({ toolsets }));
}

export function aCall(parts: Partial<Call> = {}): Call {
  return {
    target: { kind: "tool", name: "echo" },
    input: { encoding: "value", value: {} },
    callId: "call-1",
    cache: "default",
    raw: false,
    fields: [],
    caller: { id: "", admin: false },
    trace: {},
    door: "grpc",
    receivedAt: 100,
    signal: { aborted: false, reason: undefined },
    trail: newTrail(),
    ...parts,
  };
}
