import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  Execution,
  type Health as HealthMessage,
  HealthState,
  type LastError as LastErrorMessage,
  type ListToolsResponse,
  type Tool,
  type Toolset,
} from "@toolgate/contract";
import { ToolgateClientError } from "./client-error.ts";
import { type JsonValue, parseJson } from "./json.ts";

/** What a list shows; all that is set must fit. */
export interface ToolFilter {
  /** Name or alias. */
  readonly toolset?: string;
  readonly name?: string;
  readonly capability?: string;
  readonly tag?: string;
  /** Words; best match first. */
  readonly query?: string;
  /** Also tools that cannot be called now; their health says why. */
  readonly includeUnavailable?: boolean;
}

export interface ToolList {
  /** By name, or by rank where `query` was given. */
  readonly tools: readonly ListedTool[];
  /** Those that the tools belong to, by name. */
  readonly toolsets: readonly ListedToolset[];
  /** Of the registry, when the first page was made. */
  readonly generation: string;
  /**
   * Why `tools` is empty: "no_tools", "no_match", "unavailable",
   * "not_permitted" or "not_listed". Empty where there are tools, and from
   * gateways that do not say.
   */
  readonly emptyReason: string;
  /** Sources whose tools are missing from the list, and why. */
  readonly missing: readonly MissingTools[];
  /** The list as it came, all pages in one. */
  readonly message: ListToolsResponse;
}

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly toolset: string;
  readonly capabilities: readonly string[];
  readonly tags: readonly string[];
  readonly owner: string;
  readonly contact: string;
  /** JSON Schema, parsed when first asked for. */
  readonly inputSchema: JsonValue;
  /** The same, exactly as the tool's owner wrote it. */
  readonly inputSchemaText: string;
  readonly outputSchema: JsonValue | undefined;
  /** Empty where there is none. */
  readonly outputSchemaText: string;
  readonly health: Health;
  /** What last went wrong, also when all is well again; undefined where nothing has, and in a watch. */
  readonly lastError: LastError | undefined;
  /** Whether the gateway calls the tool's backend or the agent runs the tool itself. */
  readonly execution: "gateway" | "client";
  /** As "kind:name". */
  readonly backend: string;
  readonly source: string;
  readonly revision: string;
  readonly instances: number;
  readonly enabled: boolean;
  readonly scopes: readonly string[];
  /** The tool as it came, with its annotations and its timeout. */
  readonly message: Tool;
}

export interface ListedToolset {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly health: Health;
  /** Usable or not. */
  readonly tools: number;
  readonly availableTools: number;
  readonly source: string;
  /** Of its own check or of one of its tools, as in {@link ListedTool}. */
  readonly lastError: LastError | undefined;
}

export interface LastError {
  readonly during: "check" | "call" | "registration";
  /** Of the call or the refusal, such as "BACKEND_TIMEOUT"; empty for a check. */
  readonly code: string;
  readonly message: string;
  readonly at: Date | undefined;
  /** Empty for the check of a toolset. */
  readonly tool: string;
}

export interface MissingTools {
  readonly source: string;
  readonly reason: string;
  readonly since: Date | undefined;
}

export interface Health {
  readonly state: "healthy" | "degraded" | "unavailable" | "unknown";
  readonly reason: string;
  readonly checkedAt: Date | undefined;
}

const STATES: Readonly<Record<HealthState, Health["state"]>> = {
  [HealthState.UNSPECIFIED]: "unknown",
  [HealthState.HEALTHY]: "healthy",
  [HealthState.DEGRADED]: "degraded",
  [HealthState.UNAVAILABLE]: "unavailable",
  [HealthState.UNKNOWN]: "unknown",
};

export function toolListOf(message: ListToolsResponse): ToolList {
  return {
    tools: message.tools.map(toolOf),
    toolsets: message.toolsets.map(toolsetOf),
    generation: message.generation,
    emptyReason: message.emptyReason,
    missing: message.missing.map(({ source, reason, since }) => ({
      source,
      reason,
      since: since && timestampDate(since),
    })),
    message,
  };
}

export function toolOf(message: Tool): ListedTool {
  const { name, title, description, toolset, capabilities, tags, owner, contact } = message;
  const { backend, source, revision, instances, enabled, scopes, inputSchema, outputSchema } = message;
  let input: JsonValue | undefined;
  let output: JsonValue | undefined;
  return {
    ...{ name, title, description, toolset, capabilities, tags, owner, contact },
    ...{ backend, source, revision, instances, enabled, scopes, message },
    health: healthOf(message.health),
    lastError: lastErrorOf(message.lastError),
    execution: message.execution === Execution.CLIENT ? "client" : "gateway",
    inputSchemaText: inputSchema,
    outputSchemaText: outputSchema,
    get inputSchema() {
      input ??= schemaOf(name, inputSchema);
      return input;
    },
    get outputSchema() {
      if (outputSchema !== "") output ??= schemaOf(name, outputSchema);
      return output;
    },
  };
}

export function toolsetOf(message: Toolset): ListedToolset {
  const { name, aliases, tools, availableTools, source } = message;
  const [health, lastError] = [healthOf(message.health), lastErrorOf(message.lastError)];
  return { name, aliases, health, tools, availableTools, source, lastError };
}

function lastErrorOf(message: LastErrorMessage | undefined): LastError | undefined {
  if (message === undefined) return undefined;
  const { code, at, tool } = message;
  return {
    during: message.during as LastError["during"],
    code,
    message: message.message,
    tool,
    at: at && timestampDate(at),
  };
}

function healthOf(health: HealthMessage | undefined): Health {
  const checkedAt = health?.checkedAt && timestampDate(health.checkedAt);
  return {
    state: STATES[health?.state ?? HealthState.UNSPECIFIED] ?? "unknown",
    reason: health?.reason ?? "",
    checkedAt,
  };
}

function schemaOf(tool: string, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (cause) {
    const message = `The gateway's schema of the tool ${JSON.stringify(tool)} is not JSON.`;
    throw new ToolgateClientError("INVALID_RESPONSE", message, { mayHaveRun: true, cause });
  }
}
