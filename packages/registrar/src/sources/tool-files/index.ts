export { MAX_FOLDER_DEPTH, MAX_TOOL_FILES } from "./folder.ts";
export { idleLimitKeys, type LimitKeys, limitsSchema, toLimits } from "./limit-keys.ts";
export { type FileTool, parseToolFile, type ToolFileContext, type ToolFileResult } from "./parse-tool-file.ts";
export { scriptProblems } from "./script-problems.ts";
export {
  type LoadedTool,
  type LoadedTools,
  type LoadedToolset,
  type MissingSource,
  type ToolFilesOptions,
  ToolFilesSource,
} from "./tool-files-source.ts";
export { checkSchema, toolKeys } from "./tool-keys.ts";
export type { ToolKind, ToolKindContext } from "./tool-kind.ts";
export { watchFolder } from "./watch-folder.ts";
