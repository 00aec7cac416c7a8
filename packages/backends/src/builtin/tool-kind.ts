import type { BackendSpec } from "@toolgate/core";
import { z } from "zod";

export interface BuiltinKindContext {
  readonly toolName: string;
}

/**
 * How a tool file describes a tool that the gateway runs itself:
 * `provider: builtin` with a `handler`, or a `type` of the handler's name.
 * Whether there is such a handler, the backend's `inspect` says.
 */
export const builtinToolKind = {
  kind: "builtin",
  shape: {
    type: z.string().optional().describe("The handler, where no handler is named; else a label"),
    handler: z.string().optional().describe("What is run, such as search, docs_search or read_file"),
  },
  toBackend(keys: Record<string, unknown>, { toolName }: BuiltinKindContext): BackendSpec {
    const { handler, type } = keys;
    const named = [handler, type].find((name) => typeof name === "string" && name !== "builtin");
    const name = typeof named === "string" ? named : toolName;
    return { kind: "builtin", name, settings: { handler: name } };
  },
} as const;
