import type { CallOptions } from "./call-request.ts";
import { ToolgateClientError } from "./client-error.ts";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "./json.ts";
import type { OutcomeReports } from "./outcome.ts";
import type { CallError, CallResult, DelegatedResult } from "./result.ts";

/**
 * Runs a tool that needs the agent's own state. What it returns is the tool's
 * result, as JSON (nothing is null); what it throws is a TOOL_ERROR with the
 * error's message.
 */
export type ToolHandler = (args: JsonObject, context: HandlerContext) => unknown;

export interface HandlerContext {
  /** The canonical name of the tool. */
  readonly tool: string;
  /** The same as in the gateway's log. */
  readonly callId: string;
  readonly sessionId: string | undefined;
  /** Aborted by the caller, and by `close()`. No timeout of the client ends a handler. */
  readonly signal: AbortSignal;
  /** The arguments as the gateway wrote them: every digit, also of fractions. */
  readonly argsJson: string;
}

/** Handlers by the tools' canonical names. */
export type ToolHandlers = Readonly<Record<string, ToolHandler>>;

export interface SettleOptions extends CallOptions {
  readonly signal: AbortSignal;
  readonly reports: OutcomeReports;
}

/**
 * The result of a call of a delegated tool, after the agent's own handler
 * where it has one.
 *
 * @throws ToolgateClientError CANCELLED where the signal is aborted before the handler ended.
 */
export async function settleDelegated<T>(
  result: DelegatedResult,
  handlers: ToolHandlers,
  options: SettleOptions,
): Promise<CallResult<T>> {
  if (!Object.hasOwn(handlers, result.tool)) return result;
  const handler = handlers[result.tool] as ToolHandler;
  return options.reports.of(result.meta.callId, () => runHandler<T>(result, handler, options));
}

async function runHandler<T>(
  result: DelegatedResult,
  handler: ToolHandler,
  { sessionId, signal }: SettleOptions,
): Promise<CallResult<T>> {
  const { tool, meta, data, dataJson: argsJson } = result;
  try {
    const context = { tool, callId: meta.callId, sessionId, signal, argsJson };
    const value = await unlessAborted(async () => handler(data, context), signal);
    return succeeded<T>(result, value);
  } catch (cause) {
    if (!signal.aborted) return failed(result, "TOOL_ERROR", cause);
    const message = `The call was cancelled while the handler of ${JSON.stringify(tool)} ran.`;
    throw new ToolgateClientError("CANCELLED", message, { mayHaveRun: true, cause });
  }
}

/** A handler that ignores its signal must not hold up its caller. */
async function unlessAborted<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([run(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function succeeded<T>({ tool, meta, envelope }: DelegatedResult, value: unknown): CallResult<T> {
  try {
    const dataJson = stringifyJson(value ?? null);
    const data = parseJson(dataJson) as JsonValue as T;
    return { status: "success", tool, meta, envelope, data, dataJson, delegated: true };
  } catch (cause) {
    return failed({ tool, meta, envelope }, "RESULT_INVALID", cause);
  }
}

const WHAT_FAILED = {
  TOOL_ERROR: "failed",
  RESULT_INVALID: "returned what cannot be written as JSON",
} as const;

function failed(
  { tool, meta, envelope }: Pick<DelegatedResult, "tool" | "meta" | "envelope">,
  code: keyof typeof WHAT_FAILED,
  cause: unknown,
): CallResult<never> {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `The handler of ${JSON.stringify(tool)} ${WHAT_FAILED[code]}: ${why}`;
  const error: CallError = { code, class: "tool", message, retryable: false, violations: [], nearNames: [] };
  return { status: "error", tool, meta, envelope, error, delegated: true, cause };
}
