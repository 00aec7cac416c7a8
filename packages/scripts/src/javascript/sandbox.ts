import type { ScriptFault, ScriptResult } from "@toolgate/core";
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from "quickjs-emscripten-core";
import { PRELUDE } from "./prelude.ts";

const MEMORY_LIMIT = 48 * 1024 * 1024;
/** Enough for JSON that is nested 512 deep. With more, the stack of WebAssembly itself would run out first. */
const STACK_LIMIT = 256 * 1024;
const FILE = "transform.js";
/** A script that exports anything is a module; so is one that tries to import, and is told that there is nothing. */
const MODULE = /^\s*(?:export\b|import\s*[\w{*"'])/m;
const PLACE = /transform\.js:(\d+)(?::(\d+))?/;
const SYNTAX_ERROR = "SyntaxError: ";

type Value = { readonly kind: "value"; readonly handle: QuickJSHandle };
type Fault = Extract<ScriptResult, { kind: "fault" }>;

export interface Interpreter {
  readonly quickjs: QuickJSWASMModule;
  /** Whether it has taken so much memory that what fails may fail for want of it. */
  readonly isFull: () => boolean;
}

/** One script in a world of its own, which ends with it. */
export class Sandbox implements Disposable {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #handles: QuickJSHandle[] = [];
  readonly #timeoutMs: number;
  readonly #isFull: Interpreter["isFull"];
  readonly #own: QuickJSHandle;
  #transform: QuickJSHandle | undefined;
  #isTimedOut = false;

  constructor({ quickjs, isFull }: Interpreter, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#isFull = isFull;
    this.#runtime = quickjs.newRuntime({ memoryLimitBytes: MEMORY_LIMIT, maxStackSizeBytes: STACK_LIMIT });
    const end = performance.now() + timeoutMs;
    this.#runtime.setInterruptHandler(() => {
      this.#isTimedOut ||= performance.now() > end;
      return this.#isTimedOut;
    });
    this.#context = this.#runtime.newContext();
    this.#own = this.#keep(this.#context.unwrapResult(this.#context.evalCode(PRELUDE, "prelude.js")));
  }

  /** What is wrong with the script as a text; nothing of it is run. */
  read(source: string): ScriptFault | undefined {
    const result = this.#context.evalCode(source, FILE, { type: typeOf(source), compileOnly: true });
    if (result.error === undefined) {
      this.#keep(result.value);
      return undefined;
    }
    const error = this.#keep(result.error);
    const why = this.#why(error);
    if (why.kind !== "threw" || !why.message.startsWith(SYNTAX_ERROR)) return why;
    const [, line, column] = PLACE.exec(this.#textOf("trace", error)) ?? [];
    const place = { line: Number(line ?? 1), ...(column === undefined ? {} : { column: Number(column) }) };
    return { kind: "syntax", message: why.message.slice(SYNTAX_ERROR.length), ...place };
  }

  /** Runs the script's own statements, and finds its function. */
  load(source: string): ScriptResult {
    const type = typeOf(source);
    const evaluated = this.#take(this.#context.evalCode(source, FILE, { type }));
    if (evaluated.kind === "fault") return evaluated;
    const found = type === "module" ? this.#exported(evaluated.handle) : this.#global();
    if (this.#context.typeof(found) !== "function") return fault({ kind: "no-transform" });
    this.#transform = found;
    return { kind: "value", text: "" };
  }

  /** Hands the JSON text to the script's function, and gives what it makes of it. */
  transform(text: string, mark: string): ScriptResult {
    if (this.#transform === undefined) throw new Error("The script has not been loaded.");
    const marker = this.#string(mark);
    const input = this.#ask("read", this.#string(text), text.includes(mark) ? marker : this.#string(""));
    if (input.kind === "fault") return input;
    const output = this.#take(this.#context.callFunction(this.#transform, this.#context.undefined, input.handle));
    if (output.kind === "fault") return output;
    const written = this.#ask("write", output.handle, marker);
    if (written.kind === "fault") return written;
    if (this.#context.typeof(written.handle) === "string") {
      return { kind: "value", text: this.#context.getString(written.handle) };
    }
    return fault({ kind: "not-json", message: this.#textOf("problem") });
  }

  #exported(module: QuickJSHandle): QuickJSHandle {
    const chosen = this.#keep(this.#context.getProp(module, "default"));
    if (this.#context.typeof(chosen) === "function") return chosen;
    return this.#keep(this.#context.getProp(module, "transform"));
  }

  #global(): QuickJSHandle {
    const found = this.#take(this.#context.evalCode("transform", FILE));
    return found.kind === "fault" ? this.#context.undefined : found.handle;
  }

  #ask(name: string, ...args: readonly QuickJSHandle[]): Value | Fault {
    const own = this.#keep(this.#context.getProp(this.#own, name));
    return this.#take(this.#context.callFunction(own, this.#context.undefined, ...args));
  }

  #textOf(name: string, ...args: readonly QuickJSHandle[]): string {
    const answer = this.#ask(name, ...args);
    return answer.kind === "value" && this.#context.typeof(answer.handle) === "string"
      ? this.#context.getString(answer.handle)
      : "";
  }

  #take(result: ReturnType<QuickJSContext["evalCode"]>): Value | Fault {
    if (result.error === undefined) return { kind: "value", handle: this.#keep(result.value) };
    return fault(this.#why(this.#keep(result.error)));
  }

  #why(error: QuickJSHandle): ScriptFault {
    if (this.#isTimedOut) return { kind: "timed-out", timeoutMs: this.#timeoutMs };
    // Where there is no memory for an error either, what is thrown is null.
    const isNull = this.#context.sameValue(error, this.#context.null);
    if (isNull && this.#isFull()) return { kind: "out-of-memory" };
    const message = this.#textOf("describe", error);
    if (message === "InternalError: out of memory") return { kind: "out-of-memory" };
    if (/^(InternalError|SyntaxError): stack overflow$/.test(message)) return { kind: "stack-overflow" };
    const [, line] = PLACE.exec(this.#textOf("trace", error)) ?? [];
    return { kind: "threw", message, ...(line === undefined ? {} : { line: Number(line) }) };
  }

  #string(text: string): QuickJSHandle {
    return this.#keep(this.#context.newString(text));
  }

  #keep(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle);
    return handle;
  }

  [Symbol.dispose](): void {
    for (const handle of this.#handles) if (handle.alive) handle.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }
}

function typeOf(source: string): "module" | "global" {
  return MODULE.test(source) ? "module" : "global";
}

function fault(what: ScriptFault): Fault {
  return { kind: "fault", fault: what };
}
