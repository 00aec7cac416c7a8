import {
  type Backend,
  type DefinitionProblem,
  type Invocation,
  type JsonValue,
  lostAnswer,
  type Reply,
  ToolgateError,
} from "@toolgate/core";

/** What a backend does with one call; what it throws is thrown as it is. */
export type Script = (invocation: Invocation) => Reply | Promise<Reply>;

/** A backend that does what a test says, and remembers what it was asked. */
export interface ScriptedBackend extends Backend {
  /** Every call that reached it, in order. */
  readonly calls: readonly Invocation[];
}

export interface ScriptedBackendParts {
  /** "http" where unsaid, as in `aTool`. */
  readonly kind?: string;
  /** Answers with the arguments where unsaid. */
  readonly script?: Script;
  /** What is wrong with every definition; nothing where unsaid. */
  readonly problems?: readonly DefinitionProblem[];
  /** Whether answers are one caller's own; they are not where unsaid. */
  readonly isPrivate?: boolean;
}

export function scriptedBackend({
  kind = "http",
  script = echoed,
  problems = [],
  isPrivate = false,
}: ScriptedBackendParts = {}): ScriptedBackend {
  const calls: Invocation[] = [];
  return {
    kind,
    calls,
    inspect: () => problems,
    isPrivate: () => isPrivate,
    async invoke(invocation) {
      calls.push(invocation);
      return script(invocation);
    },
    close: () => Promise.resolve(),
  };
}

/** A reply of text; JSON where no media type is said. */
export function textReply(text: string, mediaType = "application/json"): Reply {
  return { kind: "text", text, mediaType };
}

/** A reply from inside the process. */
export function valueReply(value: JsonValue): Reply {
  return { kind: "value", value };
}

function echoed({ args }: Invocation): Reply {
  return valueReply(args);
}

/** Never answers, and gives up as a backend must: in its own words when the time is up, CANCELLED when the caller goes. */
export function silence({ tool, timeoutMs, signal }: Invocation): Promise<Reply> {
  return new Promise((_, reject) => {
    const giveUp = () => {
      const late = (signal.reason as { readonly name?: string } | undefined)?.name === "TimeoutError";
      reject(
        late
          ? lostAnswer(tool, `gave no answer within ${timeoutMs / 1000} s`)
          : new ToolgateError("CANCELLED", "The caller went away before the answer."),
      );
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}
