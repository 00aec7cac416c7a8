export type { FileProblem, GatewayStatus, OperatorMethods, ReloadResult } from "./admin.ts";
export type { AuditEntry, AuditFilter, AuditPage, AuditPageOptions } from "./audit-log.ts";
export type { CallManyOptions, CallOutcome, FailedCall, ToolCall } from "./call-many.ts";
export type { CallOptions, CallTarget } from "./call-request.ts";
export type { CommonOptions, ToolgateClient } from "./client.ts";
export { type ClientErrorCode, type ClientErrorDetails, ToolgateClientError } from "./client-error.ts";
export type { ClosableTransport } from "./connection.ts";
export type { HandlerContext, ToolHandler, ToolHandlers } from "./delegated.ts";
export { type JsonObject, type JsonValue, parseJson, stringifyJson } from "./json.ts";
export type { ListPageOptions } from "./list-pages.ts";
export type { Health, LastError, ListedTool, ListedToolset, MissingTools, ToolFilter, ToolList } from "./listing.ts";
export type { Outcome } from "./outcome.ts";
export type { RequestOptions } from "./requester.ts";
export type { CallError, CallMeta, CallResult, DelegatedResult, ErrorResult, SuccessResult } from "./result.ts";
// Not by name: generated code can only add to what is passed on whole.
export * from "./tool-map.ts";
export type {
  ResetEvent,
  SyncedEvent,
  ToolsetAddedEvent,
  ToolsetChangedEvent,
  ToolsetEvent,
  ToolsetHealthEvent,
  ToolsetRemovedEvent,
} from "./watch/events.ts";
export { createToolsetView, type ToolsetView } from "./watch/view.ts";
export type { WatchOptions } from "./watch/watch.ts";
