import {
  type BegunCall,
  canonicalJson,
  type Digest,
  findLoop,
  type Loop,
  type LoopHistory,
  type LoopObserver,
  type LoopRules,
  type Outcome,
  type ReadyCall,
  stringifyJson,
  ToolgateError,
} from "@toolgate/core";
import type { Stage } from "../stage.ts";

export interface LoopGuardPorts {
  readonly history: LoopHistory;
  readonly rules: LoopRules;
  readonly digest: Digest;
  readonly observer: LoopObserver;
}

/** A longer result is not compared with others: digesting it would hold up the calls beside it. */
const MAX_COMPARED = 1024 * 1024;

/**
 * Warns of, then refuses, calls of a session that go round in a loop. A call
 * without a session is not guarded, nor is one while the history is away. A
 * call that never reached its tool, or failed in a way that is safe to try
 * again, does not count, and breaks no loop.
 */
export function loopGuard(ports: LoopGuardPorts): Stage<ReadyCall, Outcome> {
  return {
    name: "loop-guard",
    run(call, next) {
      if (call.sessionId === undefined) return next(call);
      return guard(ports, call, next);
    },
  };
}

async function guard(
  ports: LoopGuardPorts,
  call: ReadyCall,
  next: (call: ReadyCall) => Promise<Outcome>,
): Promise<Outcome> {
  const begun = await begin(ports, call);
  if (begun === undefined) return next(call);
  const { tool } = call.entry;
  const loop = findLoop(begun.calls, ports.rules);
  if (loop !== undefined) {
    ports.observer.found(loop, tool.name);
    // As if it had run and the loop had gone on: whoever goes on is refused again, and nothing starts anew.
    if (loop.action === "refuse") begun.end({ result: loop.result });
    warnOrRefuse(call, loop);
  }
  try {
    const outcome = await next(call);
    begun.end(resultOf(outcome, ports.digest));
    return outcome;
  } catch (thrown) {
    const error = ToolgateError.from(thrown);
    const hasRun = call.trail.attempts > 0 && !error.retryable;
    begun.end(hasRun ? { result: ports.digest(`${error.code} ${error.message}`) } : "not-run");
    throw thrown;
  }
}

async function begin({ history, digest, observer }: LoopGuardPorts, call: ReadyCall): Promise<BegunCall | undefined> {
  const { entry, args, caller, sessionId, callId } = call;
  const { name: tool, annotations, loopGuard: guarded = true } = entry.tool;
  // A caller's id has no line end, so no caller can name a session of another.
  const session = `${caller.id}\n${sessionId}`;
  const signature = guarded ? `${tool} ${digest(canonicalJson(args))}` : "";
  try {
    return await history.begin(session, { tool, signature, readOnly: annotations.readOnly === true });
  } catch (error) {
    observer.unguarded(error, callId);
    return undefined;
  }
}

/** What a delegated tool answers, the agent knows and the gateway does not. */
function resultOf({ kind, data }: Outcome, digest: Digest): { readonly result?: string } {
  if (kind === "delegated") return {};
  const text = data.text ?? stringifyJson(data.value);
  return text.length > MAX_COMPARED ? {} : { result: digest(text) };
}

function warnOrRefuse(call: ReadyCall, loop: Loop): void {
  const { name } = call.entry.tool;
  if (loop.action === "warn") call.trail.warnings.push(`${WORDS[loop.pattern](name, loop)} ${WARNING}`);
  else throw new ToolgateError("LOOP_DETECTED", `${WORDS[loop.pattern](name, loop)} ${REFUSAL}`);
}

const WORDS: Readonly<Record<Loop["pattern"], (tool: string, loop: Loop) => string>> = {
  repeat: (tool, { times }) => `This is call number ${times} in a row of "${tool}" with the same arguments.`,
  cycle: (_tool, { times, length }) => `The same ${length} calls are being made in turn, now for round ${times}.`,
  same_result: (tool, { times }) =>
    `The last ${times} calls of "${tool}" all gave the same result, whatever their arguments.`,
};

const WARNING = "If this goes on, it will be refused. Use what is known already, or try something else.";
const REFUSAL =
  "This call was not run, since its result would be nothing new. Use what is known already, or try something else.";
