/** In what a tool owner may write a transform script. */
export const SCRIPT_LANGUAGES = ["javascript"] as const;
export type ScriptLanguage = (typeof SCRIPT_LANGUAGES)[number];

/** A script that defines `transform(input)`. */
export interface Script {
  readonly language: ScriptLanguage;
  readonly source: string;
}

export interface ScriptBounds {
  /** For one run, without the time that it waits for its turn. */
  readonly timeoutMs: number;
  /** Largest result, in bytes of JSON text. */
  readonly maxBytes: number;
  /** Ends the waiting; a run that has begun is left to its own bounds, and its result is dropped. */
  readonly signal: AbortSignal;
}

/** Why a script gave no result. Lines and columns are the script's own, from 1. */
export type ScriptFault =
  /** It cannot be read as a program of its language. */
  | { readonly kind: "syntax"; readonly message: string; readonly line: number; readonly column?: number }
  /** It defines no function `transform`. */
  | { readonly kind: "no-transform" }
  /** It threw; `message` begins with the name of the error, as the script's language has it. */
  | { readonly kind: "threw"; readonly message: string; readonly line?: number }
  | { readonly kind: "timed-out"; readonly timeoutMs: number }
  | { readonly kind: "out-of-memory" }
  | { readonly kind: "stack-overflow" }
  /** What it returned is no JSON; `message` says what it is. */
  | { readonly kind: "not-json"; readonly message: string }
  | { readonly kind: "too-large"; readonly bytes: number; readonly maxBytes: number }
  /** It did not run: too many others wait already. */
  | { readonly kind: "busy" }
  /** It did not run, or not to its end: its caller went away. */
  | { readonly kind: "cancelled" }
  /** The interpreter itself failed; `cause` is for the log. */
  | { readonly kind: "broken"; readonly cause: unknown };

export type ScriptResult =
  /** JSON text. */
  { readonly kind: "value"; readonly text: string } | { readonly kind: "fault"; readonly fault: ScriptFault };

/**
 * Runs the scripts of tool owners apart from everything else: no file, no
 * network, no memory of the last run, and bounded time, memory and stack. A
 * script that hangs holds up nobody but itself.
 */
export interface ScriptRunner {
  /** What is wrong with a script before it is given anything; `undefined` where nothing is. Never rejects. */
  check(script: Script): Promise<ScriptFault | undefined>;
  /** Hands the value of this JSON text to the script's `transform`. Integers keep every digit. Never rejects. */
  run(script: Script, input: string, bounds: ScriptBounds): Promise<ScriptResult>;
}

export const MAX_SCRIPT_BYTES = 64 * 1024;
export const DEFAULT_SCRIPT_TIMEOUT_MS = 1_000;
export const MAX_SCRIPT_TIMEOUT_MS = 30_000;

/** The sentence about a fault, without its subject: "failed in line 3: TypeError: …". */
export function describeFault(fault: ScriptFault): string {
  switch (fault.kind) {
    case "syntax":
      return `cannot be read: ${fault.message} (line ${fault.line}${fault.column === undefined ? "" : `, column ${fault.column}`})`;
    case "no-transform":
      return 'defines no function "transform"';
    case "threw":
      return `failed${fault.line === undefined ? "" : ` in line ${fault.line}`}: ${fault.message}`;
    case "timed-out":
      return `did not end within ${fault.timeoutMs} ms`;
    case "out-of-memory":
      return "needs more memory than a script may have";
    case "stack-overflow":
      return "calls itself more often than the stack of a script allows";
    case "not-json":
      return `returned what is not JSON: ${fault.message}`;
    case "too-large":
      return `returned ${fault.bytes} bytes; at most ${fault.maxBytes} are allowed`;
    case "busy":
      return "had to be left out: too many scripts are running and waiting";
    case "cancelled":
      return "was not waited for: the caller went away";
    case "broken":
      return "could not be run: the gateway's log says why";
  }
}
