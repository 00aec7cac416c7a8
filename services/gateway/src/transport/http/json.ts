import { toJson } from "@bufbuild/protobuf";
import {
  type Envelope,
  EnvelopeSchema,
  type ListToolsResponse,
  ListToolsResponseSchema,
  type Toolset,
  ToolsetSchema,
} from "@toolgate/contract";
import { ERROR_CODES, type ErrorCode, type JsonObject, parseJson, stringifyJson } from "@toolgate/core";
import { DOOR_ERRORS, type DoorError } from "../door-error.ts";

/** Field names as in the proto files, and every field, also the empty ones. */
const NAMES_AS_WRITTEN = { useProtoFieldName: true, alwaysEmitImplicit: true } as const;

/** An envelope as JSON text; the result stands under "data", digit for digit. */
export function envelopeToJson(envelope: Envelope): string {
  const { data_json: data, ...rest } = toJson(EnvelopeSchema, envelope, NAMES_AS_WRITTEN) as JsonObject;
  const { status, tool, ...others } = rest;
  const head = JSON.stringify({ status, tool });
  const middle = typeof data === "string" ? `,"data":${data}` : "";
  return `${head.slice(0, -1)}${middle},${JSON.stringify(others).slice(1)}`;
}

export function httpStatusOf(envelope: Envelope): number {
  return envelope.error === undefined ? 200 : ERROR_CODES[envelope.error.code as ErrorCode].http;
}

/** Whole seconds, rounded up (RFC 9110 section 10.2.3). */
export function retryAfterOf(envelope: Envelope): string | undefined {
  const ms = envelope.error?.retryAfterMs;
  return ms === undefined ? undefined : String(Math.max(1, Math.ceil(ms / 1000)));
}

/** A list of tools as JSON text, with schemas as JSON and not as text. */
export function toolListToJson(list: ListToolsResponse): string {
  const json = toJson(ListToolsResponseSchema, list, NAMES_AS_WRITTEN) as JsonObject;
  const { tools, toolsets } = json as { tools: JsonObject[]; toolsets: JsonObject[] };
  return stringifyJson({ ...json, tools: tools.map(finishTool), toolsets: toolsets.map(withHealthWord) });
}

function finishTool(json: JsonObject): JsonObject {
  json.input_schema = parseJson(json.input_schema as string);
  json.output_schema = json.output_schema === "" ? null : parseJson(json.output_schema as string);
  json.execution = enumWord(json.execution);
  return withHealthWord(json);
}

export function toolsetToJson(toolset: Toolset): JsonObject {
  return withHealthWord(toJson(ToolsetSchema, toolset, NAMES_AS_WRITTEN) as JsonObject);
}

/** "HEALTH_STATE_HEALTHY" reads "healthy" here, as "status" reads "success". */
function withHealthWord(json: JsonObject): JsonObject {
  const health = json.health as JsonObject | undefined;
  return health === undefined ? json : { ...json, health: { ...health, state: enumWord(health.state) } };
}

function enumWord(name: unknown): string {
  return String(name).split("_").at(-1)?.toLowerCase() ?? "";
}

/** What ends a request before there is a call, in the shape of an envelope. */
export function doorErrorToJson(error: DoorError): string {
  const { class: errorClass } = DOOR_ERRORS[error.code];
  const retryable = error.code === "UNAVAILABLE";
  return JSON.stringify({
    status: "error",
    tool: "",
    error: { code: error.code, class: errorClass, message: error.message, retryable, violations: [], near_names: [] },
  });
}
