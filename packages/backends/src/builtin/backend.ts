import {
  BACKEND_BODY_LIMIT,
  type Backend,
  type DefinitionProblem,
  durationInWords,
  type Invocation,
  isTimeout,
  type JsonValue,
  lostAnswer,
  type Reply,
  stringifyJson,
  type ToolDefinition,
  ToolgateError,
} from "@toolgate/core";
import { type BuiltinRun, BuiltinToolError, type BuiltinToolset } from "./tool.ts";

/** What can be run, by the name of its handler. A tool's handler has the tool's name. */
export function handlersOf(toolsets: readonly BuiltinToolset[]): ReadonlyMap<string, BuiltinRun> {
  const handlers = toolsets.flatMap(({ tools, handlers: extra = {} }): [string, BuiltinRun][] => [
    ...tools.map(({ definition, run }): [string, BuiltinRun] => [definition.name, run]),
    ...Object.entries(extra),
  ]);
  return new Map(handlers);
}

/** Runs tools inside this process. `backend.settings.handler` names what is run. */
export function createBuiltinBackend(handlers: ReadonlyMap<string, BuiltinRun>): Backend {
  return new BuiltinBackend(handlers);
}

class BuiltinBackend implements Backend {
  readonly kind = "builtin";
  readonly #handlers: ReadonlyMap<string, BuiltinRun>;
  readonly #running = new Set<AbortController>();
  #closed = false;

  constructor(handlers: ReadonlyMap<string, BuiltinRun>) {
    this.#handlers = handlers;
  }

  inspect({ backend }: ToolDefinition): readonly DefinitionProblem[] {
    const handler = backend?.settings.handler;
    if (typeof handler === "string" && this.#handlers.has(handler)) return [];
    const there = [...this.#handlers.keys()]
      .sort()
      .map((name) => `"${name}"`)
      .join(", ");
    const got = handler === undefined ? "none is named" : `there is no ${JSON.stringify(handler).slice(0, 80)}`;
    const choice = there === "" ? "This gateway has none." : `Expected one of ${there}.`;
    return [{ path: "/backend/settings/handler", message: `Unknown builtin handler: ${got}. ${choice}` }];
  }

  async invoke(invocation: Invocation): Promise<Reply> {
    const { tool, args, signal } = invocation;
    const run = this.#handlers.get(String(tool.backend?.settings.handler));
    if (run === undefined) throw ToolgateError.from(new Error(`No handler for the tool "${tool.name}"`));
    if (this.#closed) throw notRun(invocation, "this gateway is shutting down");
    if (signal.aborted) throw givenUp(invocation, "before");
    const attempt = new AbortController();
    const forward = () => attempt.abort(signal.reason);
    signal.addEventListener("abort", forward, { once: true });
    this.#running.add(attempt);
    try {
      const value = await untilAborted(() => run(args, { signal: attempt.signal }), attempt.signal);
      return withinBound(invocation, value);
    } catch (thrown) {
      throw this.#explain(invocation, thrown);
    } finally {
      signal.removeEventListener("abort", forward);
      this.#running.delete(attempt);
    }
  }

  isPrivate(): boolean {
    return false;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const attempt of this.#running) attempt.abort(new Error("closed"));
  }

  #explain(invocation: Invocation, thrown: unknown): ToolgateError {
    if (invocation.signal.aborted) return givenUp(invocation, "during");
    if (thrown instanceof ToolgateError) return thrown;
    if (thrown instanceof BuiltinToolError) return toolError(thrown);
    if (!this.#closed) return ToolgateError.from(thrown);
    return lostAnswer(invocation.tool, "was cut off because this gateway is shutting down", thrown);
  }
}

/** The work's end, or the abort, whichever comes first: a tool that does not listen holds nobody up. */
function untilAborted(work: () => Promise<JsonValue>, signal: AbortSignal): Promise<JsonValue> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const settled = () => signal.removeEventListener("abort", onAbort);
    // In an async function, so that a throw before the first await is a rejection as well.
    (async () => work())().then(resolve, reject).finally(settled);
  });
}

function withinBound({ tool }: Invocation, value: JsonValue): Reply {
  const { maxBytes } = tool.response;
  if (Buffer.byteLength(stringifyJson(value)) <= maxBytes) return { kind: "value", value };
  throw new ToolgateError(
    "RESULT_TOO_LARGE",
    `The result of "${tool.name}" is larger than the ${maxBytes} bytes that are allowed. ` +
      "Ask for less, or raise the tool's response.max_bytes.",
  );
}

function toolError(thrown: BuiltinToolError): ToolgateError {
  return new ToolgateError("TOOL_ERROR", thrown.message, {
    backendAnswer: { status: thrown.code, body: thrown.message.slice(0, BACKEND_BODY_LIMIT) },
    cause: thrown.cause,
  });
}

function notRun({ tool }: Invocation, why: string): ToolgateError {
  return new ToolgateError("BACKEND_UNREACHABLE", `"${tool.name}" was not run: ${why}.`, { retryable: false });
}

function givenUp(invocation: Invocation, when: "before" | "during"): ToolgateError {
  const { tool, signal, timeoutMs } = invocation;
  if (!isTimeout(signal.reason)) {
    const fate = when === "before" ? "The tool was not run." : "The tool had begun to run.";
    return new ToolgateError("CANCELLED", `The caller went away before "${tool.name}" had answered. ${fate}`);
  }
  if (when === "before") return notRun(invocation, "there was no time left");
  return lostAnswer(tool, `gave no answer within ${durationInWords(timeoutMs)}`);
}
