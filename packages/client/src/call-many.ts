import type { CallOptions, CallTarget } from "./call-request.ts";
import { ToolgateClientError } from "./client-error.ts";
import { checkConcurrency, DEFAULT_CONCURRENCY, mapInParallel } from "./in-parallel.ts";
import type { JsonValue } from "./json.ts";
import type { CallResult } from "./result.ts";

/** One call of many. */
export interface ToolCall {
  readonly tool: CallTarget;
  /** As for `call`. */
  readonly args?: object | string;
  /** The signal is one for all calls. */
  readonly options?: Omit<CallOptions, "signal">;
}

export interface CallManyOptions {
  /** How many calls run at once: 1 to 1,000; 8 where unset. */
  readonly concurrency?: number;
  /** Ends the calls that run; those that wait are not sent. */
  readonly signal?: AbortSignal;
}

/** What became of one call of many. */
export type CallOutcome<T = JsonValue> = CallResult<T> | FailedCall;

/** There is no envelope: what `call` would have rejected with. */
export interface FailedCall {
  readonly status: "failed";
  /** Its `mayHaveRun` says whether sending the call again may repeat something. */
  readonly failure: ToolgateClientError;
}

type CallOne = (target: CallTarget, args: object | string, options: CallOptions) => Promise<CallResult>;

/**
 * Runs calls side by side. Settles every call by itself, in the order of
 * `calls`, so that no failure loses a result that is there.
 *
 * @throws ToolgateClientError INVALID_ARGUMENT for a concurrency that is none, before any call is sent.
 */
export async function callMany(
  calls: readonly ToolCall[],
  { concurrency = DEFAULT_CONCURRENCY, signal }: CallManyOptions,
  callOne: CallOne,
): Promise<CallOutcome[]> {
  const common = signal === undefined ? {} : { signal };
  return mapInParallel(calls, checkConcurrency(concurrency), ({ tool, args = {}, options }) =>
    settle(callOne(tool, args, { ...options, ...common })),
  );
}

/** The outcome of a call, instead of its rejection. */
export async function settle<T>(call: Promise<CallResult<T>>): Promise<CallOutcome<T>> {
  try {
    return await call;
  } catch (thrown) {
    return { status: "failed", failure: failureOf(thrown) };
  }
}

function failureOf(thrown: unknown): ToolgateClientError {
  if (thrown instanceof ToolgateClientError) return thrown;
  const message = `The call failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return new ToolgateClientError("INTERNAL", message, { mayHaveRun: true, cause: thrown });
}
