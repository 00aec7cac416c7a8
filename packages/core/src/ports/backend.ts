import type { Caller, TraceContext } from "../call/call.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import { escapePointer } from "../json/pointer.ts";
import type { Instance } from "../registry/snapshot.ts";
import type { ProbeResult } from "../tool/availability.ts";
import type { CheckSpec, Tool, ToolDefinition } from "../tool/tool.ts";

/** One attempt at one tool. */
export interface Invocation {
  readonly tool: Tool;
  readonly instances: readonly Instance[];
  readonly args: JsonObject;
  /** The exact text of `args`, where it is known. */
  readonly argsText?: string;
  readonly callId: string;
  readonly caller: Caller;
  readonly idempotencyKey?: string;
  readonly trace: TraceContext;
  /** Milliseconds left for this attempt; also enforced by `signal`. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a backend answered: text with its media type, or a value from inside the process. */
export type Reply =
  | { readonly kind: "text"; readonly text: string; readonly mediaType: string; readonly warnings?: readonly string[] }
  | { readonly kind: "value"; readonly value: JsonValue; readonly warnings?: readonly string[] };

/** One thing wrong with a definition; `path` is a JSON Pointer into it. */
export interface DefinitionProblem {
  readonly path: string;
  readonly message: string;
}

/** Where in a definition a part of its backend's settings is, as a JSON Pointer. */
export function settingsPath(...parts: readonly PropertyKey[]): string {
  return ["/backend/settings", ...parts.map((part) => escapePointer(String(part)))].join("/");
}

/**
 * Reaches the tools of one protocol.
 *
 * `invoke` throws a ToolgateError and nothing else: BACKEND_UNREACHABLE only
 * when the call was provably not delivered; when it may have been, what
 * `lostAnswer` makes of it; TOOL_ERROR when the tool answered with an error.
 * It stops its work when the signal aborts.
 */
export interface Backend {
  readonly kind: string;
  /** What is wrong with a definition for this backend; empty when nothing is. Never throws, reaches for nothing. */
  inspect(definition: ToolDefinition): readonly DefinitionProblem[];
  invoke(invocation: Invocation): Promise<Reply>;
  /**
   * Whether the caller, or credentials that may be somebody's, reach this
   * tool: its answers are then one caller's own unless the operator says otherwise.
   */
  isPrivate(tool: Tool): boolean;
  /** Frees connections; calls in flight may fail. */
  close(): Promise<void>;
}

/** Answers checks of one kind, such as "http" or "env". Never throws; ends when the signal aborts. */
export interface Probe {
  readonly kind: string;
  probe(check: CheckSpec, signal: AbortSignal): Promise<ProbeResult>;
}
