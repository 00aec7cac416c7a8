import { create, type MessageShape } from "@bufbuild/protobuf";
import {
  type InvokeRequest,
  type InvokeResponse,
  InvokeResponseSchema,
  type ToolFailureSchema,
} from "@toolgate/contract";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json/json.ts";
import { resultText, UnwritableResult } from "../json/result-text.ts";
import { logWith, type ProviderLog } from "../log.ts";
import type { Tool, ToolContext } from "../tool/tool.ts";
import { MAX_MESSAGE_LENGTH, ToolFailure } from "../tool/tool-failure.ts";

const MAX_WARNINGS = 32;
const MAX_WARNING_LENGTH = 1_024;

export interface InvocationPorts {
  readonly signal: AbortSignal;
  readonly trace: ToolContext["trace"];
  readonly log: ProviderLog;
}

/** Runs one call of a tool. Always gives an answer; whatever goes wrong is a failure in it. */
export async function invoke(tool: Tool, request: InvokeRequest, ports: InvocationPorts): Promise<InvokeResponse> {
  const warnings: string[] = [];
  const log = logWith(ports.log, { tool: tool.name, callId: request.callId });
  const context: ToolContext = {
    callId: request.callId,
    caller: given(request.caller),
    idempotencyKey: given(request.idempotencyKey),
    trace: ports.trace,
    signal: ports.signal,
    warn(text) {
      if (warnings.length < MAX_WARNINGS) warnings.push(cut(String(text), MAX_WARNING_LENGTH));
    },
    log,
  };
  try {
    const result = await tool.run(argumentsOf(request), context);
    const outcome = { case: "dataJson", value: resultText(result) } as const;
    return create(InvokeResponseSchema, { outcome, warnings });
  } catch (thrown) {
    return failed(failureOf(thrown, { log, request, signal: ports.signal }));
  }
}

/** An answer that is a failure. */
export function failed({ code, message, retryable }: ToolFailure): InvokeResponse {
  const value: Omit<MessageShape<typeof ToolFailureSchema>, "$typeName"> = {
    code,
    message: cut(message, MAX_MESSAGE_LENGTH),
    retryable,
  };
  return create(InvokeResponseSchema, { outcome: { case: "failure", value } });
}

interface Failed {
  readonly log: ProviderLog;
  readonly request: InvokeRequest;
  readonly signal: AbortSignal;
}

function failureOf(thrown: unknown, { log, request, signal }: Failed): ToolFailure {
  if (thrown instanceof ToolFailure) {
    if (thrown.cause !== undefined) log.warn({ error: thrown.cause, code: thrown.code }, "a tool failed");
    return thrown;
  }
  if (thrown instanceof UnwritableResult) {
    log.error({ error: thrown.message }, "a tool's result cannot be written as JSON");
    return new ToolFailure("RESULT_INVALID", thrown.message);
  }
  // After an abort nobody waits for the answer, and the handler did what it was asked for.
  if (signal.aborted) log.info({ error: thrown }, "a handler ended after its call was aborted");
  else log.error({ error: thrown }, "a handler threw");
  const message = `The tool "${request.tool}" failed; its provider's log says why, under call_id ${request.callId}.`;
  return new ToolFailure("INTERNAL", message);
}

/** @throws ToolFailure INVALID_ARGUMENT where they are not a JSON object. */
function argumentsOf({ input }: InvokeRequest): JsonObject {
  if (input.case === undefined) return {};
  const value = input.case === "arguments" ? (input.value as JsonObject) : parsed(input.value);
  if (isJsonObject(value)) return value;
  throw new ToolFailure("INVALID_ARGUMENT", "The arguments must be a JSON object.");
}

function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    throw new ToolFailure("INVALID_ARGUMENT", "The arguments are not JSON.");
  }
}

function given(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** Never between the two halves of a character beyond the basic plane. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(length - 2)) ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}
