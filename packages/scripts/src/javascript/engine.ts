import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import type { ScriptFault, ScriptResult } from "@toolgate/core";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import type { Engine, Job } from "../job.ts";
import { markIntegers, unmarkIntegers } from "./integers.ts";
import { type Interpreter, Sandbox } from "./sandbox.ts";

const PAGE = 64 * 1024;
const INITIAL_MEMORY = 16 * 1024 * 1024;
/** All that an interpreter can ever have. QuickJS's own limit does not count small pieces, so this one is what holds. */
const MAX_MEMORY = 64 * 1024 * 1024;
/** WebAssembly's memory never shrinks: an interpreter that once needed more than this makes way for a new one. */
const KEPT_MEMORY = 32 * 1024 * 1024;

/** Opens QuickJS, compiled to WebAssembly. It can reach nothing: it is given no function of this process. */
export async function openJavaScript(): Promise<Engine> {
  const memory = new WebAssembly.Memory({ initial: INITIAL_MEMORY / PAGE, maximum: MAX_MEMORY / PAGE });
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: memory }));
  const isFull = () => memory.buffer.byteLength > KEPT_MEMORY;
  let isBroken = false;
  return {
    run(job) {
      try {
        return runIn({ quickjs, isFull }, job);
      } catch (error) {
        // What comes out of WebAssembly itself leaves it in an unknown state.
        isBroken = true;
        return { kind: "fault", fault: error instanceof RangeError ? { kind: "stack-overflow" } : broken(error) };
      }
    },
    get isSpent() {
      return isBroken || isFull();
    },
  };
}

function broken(error: unknown): ScriptFault {
  return { kind: "broken", cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

function runIn(interpreter: Interpreter, job: Job): ScriptResult {
  using sandbox = new Sandbox(interpreter, job.timeoutMs);
  const unreadable = job.input === undefined ? sandbox.read(job.source) : undefined;
  if (unreadable !== undefined) return { kind: "fault", fault: unreadable };
  const loaded = sandbox.load(job.source);
  if (loaded.kind === "fault" || job.input === undefined) return loaded;
  const { text, mark } = markIntegers(job.input);
  const result = sandbox.transform(text, mark);
  if (result.kind === "fault") return result;
  const unmarked = unmarkIntegers(result.text, mark);
  const bytes = Buffer.byteLength(unmarked);
  if (bytes <= job.maxBytes) return { kind: "value", text: unmarked };
  return { kind: "fault", fault: { kind: "too-large", bytes, maxBytes: job.maxBytes } };
}
