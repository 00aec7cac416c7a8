export { createBuiltinBackend, handlersOf } from "./backend.ts";
export { createDocsTools, type DocsOptions } from "./docs/index.ts";
export { createFileTools, type FileOptions } from "./file/index.ts";
export {
  type BuiltinContext,
  type BuiltinRun,
  type BuiltinTool,
  BuiltinToolError,
  type BuiltinToolset,
} from "./tool.ts";
export { builtinToolKind } from "./tool-kind.ts";
