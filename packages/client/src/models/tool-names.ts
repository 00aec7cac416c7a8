import { type JsonValue, parseJson, stringifyJson } from "../json.ts";

/** From what a model writes back to what the gateway knows. */
export interface ToolNames {
  /** The tool of a name that the model was given; undefined for any other. */
  toTool(safe: string): string | undefined;
  /** The name that the model was given for a tool. */
  toSafe(tool: string): string | undefined;
  /**
   * The arguments with their own names again, where a provider did not allow
   * one of them; otherwise exactly what was given. Text that is not JSON stays
   * as it is: the gateway says what is wrong with it.
   */
  toArguments(safe: string, args: object | string): object | string;
  /** All names that the model was given. */
  readonly safe: readonly string[];
}

/** A declared tool's names. */
export interface NamedTool {
  readonly tool: string;
  readonly safe: string;
  /** From the names of arguments that the model was given to the tool's own; only those that differ. */
  readonly renamed: ReadonlyMap<string, string>;
}

export function toolNames(named: readonly NamedTool[]): ToolNames {
  const bySafe = new Map(named.map((names) => [names.safe, names]));
  const byTool = new Map(named.map((names) => [names.tool, names]));
  return {
    safe: [...bySafe.keys()],
    toTool: (safe) => bySafe.get(safe)?.tool,
    toSafe: (tool) => byTool.get(tool)?.safe,
    toArguments(safe, args) {
      const renamed = bySafe.get(safe)?.renamed;
      if (renamed === undefined || renamed.size === 0) return args;
      return typeof args === "string" ? renamedText(args, renamed) : renamedKeys(args, renamed);
    },
  };
}

function renamedText(text: string, renamed: ReadonlyMap<string, string>): string {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return text;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return text;
  return stringifyJson(renamedKeys(value, renamed));
}

function renamedKeys(args: object, renamed: ReadonlyMap<string, string>): object {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [renamed.get(key) ?? key, value]));
}
