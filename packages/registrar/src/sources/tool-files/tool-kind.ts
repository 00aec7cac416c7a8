import type { BackendSpec, JsonObject } from "@toolgate/core";
import type { z } from "zod";

/**
 * How tool files describe the tools of one kind of backend. The file's `type`
 * picks the kind; where the file has `provider`, that does, and `type` goes to
 * the kind as one of its keys: in `type: search, provider: builtin` the kind
 * is "builtin" and its type "search".
 */
export interface ToolKind {
  readonly kind: string;
  /**
   * The keys that only this kind has. Values of `headers`, and whatever is
   * marked with `.meta({ secret: true })`, may hold `${ENV}` and `file:`
   * references. A key that every tool has cannot be redefined, but `type` can.
   */
  readonly shape: z.ZodRawShape;
  /** `keys` fit the shape. `undefined`: the tool needs no backend. What is wrong beyond the shape, the backend's `inspect` says. */
  toBackend(keys: Record<string, unknown>, context: ToolKindContext): BackendSpec | undefined;
  /** Hears of the text of each file before it is read, so that what few files need is loaded for those alone. */
  prepare?(text: string): Promise<void>;
  /** The schema of the arguments, where a tool states none and its backend's settings tell it. */
  inputSchema?(backend: BackendSpec): JsonObject | undefined;
}

export interface ToolKindContext {
  readonly toolName: string;
  /** Parameter to place ("path", "query", "header", "body"), as `in:` says. */
  readonly locations: Record<string, string>;
  /** Parameter to its name on the wire, as `wire_name:` says. */
  readonly names: Record<string, string>;
  /** Makes a path, as it is written in the file, absolute. Unset: relative to the working folder. */
  readonly resolvePath?: (path: string) => string;
}
