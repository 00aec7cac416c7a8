export type { FileProblem, GatewayStatus, ReloadResult } from "./admin.ts";
export type { CallOptions, CallTarget } from "./call-request.ts";
export { type ClientOptions, createClient, type ToolgateClient } from "./client.ts";
export { type ClientErrorCode, type ClientErrorDetails, ToolgateClientError } from "./client-error.ts";
export { type JsonObject, type JsonValue, parseJson, stringifyJson } from "./json.ts";
export type { ListPageOptions } from "./list-pages.ts";
export type { Health, ListedTool, ListedToolset, MissingTools, ToolFilter, ToolList } from "./listing.ts";
export type { RequestOptions } from "./requester.ts";
export type { CallError, CallMeta, CallResult, DelegatedResult, ErrorResult, SuccessResult } from "./result.ts";
