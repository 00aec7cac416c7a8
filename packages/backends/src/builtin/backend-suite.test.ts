import type { JsonValue } from "@toolgate/core";
import { parseJson } from "@toolgate/core";
import {
  type Behaviour,
  BIG_INTEGER_JSON,
  backendSuite,
  LARGE_BYTES,
  TOOL_ERROR_TEXT,
} from "@toolgate/testkit/backend-suite";
import { aTool } from "@toolgate/testkit/builders";
import { type BuiltinRun, BuiltinToolError, createBuiltinBackend } from "./index.ts";

const BEHAVIOURS: Readonly<Partial<Record<Behaviour, BuiltinRun>>> = {
  echo: async (args) => args,
  fail: async () => {
    throw new BuiltinToolError("CLOSED", TOOL_ERROR_TEXT);
  },
  silent: () => new Promise<JsonValue>(() => {}),
  large: async () => "x".repeat(LARGE_BYTES),
  "big-integer": async () => parseJson(BIG_INTEGER_JSON),
};

backendSuite("builtin", {
  without: {
    unreachable: "a tool in this process is always there",
    "lost-answer": "between a process and itself no connection breaks",
  },
  async scene({ behaviour, annotations, maxBytes }) {
    let taken = 0;
    let givenUp = 0;
    const run: BuiltinRun = (args, context) => {
      taken += 1;
      context.signal.addEventListener("abort", () => {
        givenUp += 1;
      });
      return (BEHAVIOURS[behaviour] as BuiltinRun)(args, context);
    };
    const response = maxBytes === undefined ? {} : { response: { format: "auto" as const, maxBytes } };
    const backend = { kind: "builtin", name: "test", settings: { handler: "scripted" } };
    return {
      backend: createBuiltinBackend(new Map([["scripted", run]])),
      tool: aTool({ timeoutMs: 5_000, annotations, backend, ...response }),
      taken: () => taken,
      givenUp: () => givenUp,
      end: async () => {},
    };
  },
});
