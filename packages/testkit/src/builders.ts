import {
  ANONYMOUS,
  type Call,
  DEFAULT_MAX_RESPONSE_BYTES,
  DEFAULT_TIMEOUT_MS,
  newTrail,
  type RegisterCommand,
  type Registrant,
  type SchemaDocument,
  type Tool,
  type ToolsetOffer,
} from "@toolgate/core";

/** An idempotent http tool "echo" of toolset "demo", with what the test says otherwise. */
export function aTool(parts: Partial<Tool> = {}): Tool {
  const name = parts.name ?? "echo";
  return {
    name,
    title: "",
    description: `Says what ${name} says`,
    capabilities: [],
    tags: [],
    owner: "",
    contact: "",
    annotations: { idempotent: true },
    execution: "gateway",
    backend: { kind: "http", name: "demo.example", settings: {} },
    timeoutMs: DEFAULT_TIMEOUT_MS,
    response: { format: "auto", maxBytes: DEFAULT_MAX_RESPONSE_BYTES },
    scopes: [],
    enabled: true,
    toolset: "demo",
    source: "test",
    revision: "1",
    ...parts,
  };
}

/** A schema document from its value. */
export function aSchema(value: SchemaDocument["value"]): SchemaDocument {
  return { text: JSON.stringify(value), value };
}

/** An offer of toolset "demo"; tools given by name get their defaults, and all get the offer's toolset. */
export function anOffer(
  parts: Omit<Partial<ToolsetOffer>, "tools"> & { readonly tools?: readonly (string | Tool)[] } = {},
): ToolsetOffer {
  const name = parts.name ?? "demo";
  const tools = (parts.tools ?? ["echo"]).map((tool) =>
    typeof tool === "string" ? aTool({ name: tool, toolset: name }) : { ...tool, toolset: name },
  );
  return { source: "test", aliases: [], ...parts, name, tools };
}

export function aRegistrant(id = "alice"): Registrant {
  return { id, label: `${id}'s key` };
}

export interface RegisterParts extends Partial<Omit<RegisterCommand, "type" | "registrant" | "lease" | "keep">> {
  /** By id; "alice" where unsaid. */
  readonly by?: string;
  /** Id of the lease; made of the registrant's where unsaid. */
  readonly lease?: string;
  readonly durationMs?: number;
  /** The moment of the registration: the lease ends `durationMs` later. */
  readonly now?: number;
  readonly keep?: Iterable<string>;
}

/** A registration of one offer of "echo" by "alice", at 0, for 30 s. */
export function aRegister(parts: RegisterParts = {}): RegisterCommand {
  const { by = "alice", lease = `${by}-1`, durationMs = 30_000, now = 0, keep = [], ...rest } = parts;
  return {
    type: "register",
    registrant: aRegistrant(by),
    lease: { id: lease, durationMs, expiresAt: now + durationMs },
    toolsets: [anOffer()],
    replace: false,
    ...rest,
    keep: new Set(keep),
  };
}

/** A call of tool "echo" without arguments, received at 0 on the monotonic clock. */
export function aCall(parts: Partial<Call> = {}): Call {
  return {
    target: { kind: "tool", name: "echo" },
    input: { encoding: "value", value: {} },
    callId: "call-1",
    cache: "default",
    raw: false,
    fields: [],
    caller: ANONYMOUS,
    door: "grpc",
    trace: {},
    receivedAt: 0,
    signal: new AbortController().signal,
    trail: newTrail(),
    ...parts,
  };
}
