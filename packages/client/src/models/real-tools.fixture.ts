import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type JsonValue, parseJson } from "../json.ts";
import type { ModelTool } from "./index.ts";

const folder = new URL("../../../languages/src/json-schema/fixtures/mcp-tools/", import.meta.url);

/** The tool lists of real MCP servers, by the name of their file. */
export function realTools(): ReadonlyMap<string, readonly ModelTool[]> {
  const files = readdirSync(fileURLToPath(folder)).sort();
  return new Map(files.map((file) => [file, toolsIn(readFileSync(new URL(file, folder), "utf8"))]));
}

function toolsIn(text: string): readonly ModelTool[] {
  const { tools } = parseJson(text) as unknown as { tools: (ModelTool & { outputSchema?: JsonValue })[] };
  return tools.map(({ name, title = "", description = "", inputSchema, outputSchema }) => ({
    ...{ name, title, description, inputSchema, outputSchema },
  }));
}
