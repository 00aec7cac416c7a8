export { type JsonObject, type JsonValue, parseJson } from "./json/json.ts";
export type { ProviderLog } from "./log.ts";
export type { Provider } from "./provider.ts";
export type { AcceptedOutcome, RefusalReason, RefusedOutcome, RegisterOutcome } from "./registration/outcome.ts";
export { RegistrationError, serve } from "./serve.ts";
export type { ProviderState, ServeOptions } from "./serve-options.ts";
export { defineTool } from "./tool/define-tool.ts";
export type {
  Annotations,
  ArgumentsOf,
  Check,
  JsonSchema,
  ResultOf,
  Schema,
  Tool,
  ToolContext,
  ToolOptions,
} from "./tool/tool.ts";
export { ToolFailure, type ToolFailureOptions } from "./tool/tool-failure.ts";
