import type { JsonObject, Tool } from "@toolgate/core";
import { aSchema, aTool } from "@toolgate/testkit/builders";

/** An http tool with these settings; arguments by name where the schema should know them. */
export function httpTool(
  settings: JsonObject,
  changes: Partial<Tool> & { readonly args?: readonly string[]; readonly confined?: true } = {},
): Tool {
  const { args, confined, ...rest } = changes;
  const schema = args === undefined ? {} : { inputSchema: schemaFor(args) };
  return aTool({
    name: "http_tool",
    annotations: {},
    timeoutMs: 5_000,
    ...schema,
    ...rest,
    backend: { kind: "http", name: "test", settings, ...(confined && { confined }) },
  });
}

function schemaFor(args: readonly string[]) {
  return aSchema({ type: "object", properties: Object.fromEntries(args.map((name) => [name, {}])) });
}
