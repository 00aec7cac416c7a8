/** Keys of a tool file beyond its name and endpoint. */
export type ToolFileKeys = Readonly<Record<string, unknown>>;

/** The text of a tool file: JSON, which is YAML 1.2 too. */
export function httpTool(name: string, endpoint: string, keys: ToolFileKeys = {}): string {
  return JSON.stringify({ name, type: "http", endpoint, ...keys });
}

/** A tool that the agent itself runs, as it stands in a file. */
export function clientTool(name: string, keys: ToolFileKeys = {}): string {
  return JSON.stringify({ name, execution: "client", ...keys });
}
