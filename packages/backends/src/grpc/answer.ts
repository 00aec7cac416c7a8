import { fromBinary, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { answerTooLarge, type Reply, ToolgateError } from "@toolgate/core";
import type { Trip } from "../grpc-channel/index.ts";
import type { ToolMethod } from "./descriptors/method.ts";

/**
 * The reply that an answer is: the message by the JSON mapping of Protocol
 * Buffers, with 64-bit integers as text.
 *
 * @throws ToolgateError RESULT_TOO_LARGE beyond the tool's bound,
 * RESULT_INVALID where the bytes are not the method's output.
 */
export function replyOf(trip: Trip, message: Buffer, how: { method: ToolMethod; emitDefaults: boolean }): Reply {
  if (message.length > trip.tool.response.maxBytes) throw answerTooLarge(trip);
  const { descriptor, registry } = how.method;
  const value = decode(trip, message, how.method);
  try {
    const json = toJson(descriptor.output, value, { registry, alwaysEmitImplicit: how.emitDefaults });
    return { kind: "text", text: JSON.stringify(json satisfies JsonValue), mediaType: "application/json" };
  } catch (error) {
    throw invalid(trip, `cannot be written as JSON: ${reasonOf(error)}`, error);
  }
}

function decode(trip: Trip, message: Buffer, { descriptor }: ToolMethod): Message {
  try {
    return fromBinary(descriptor.output, message);
  } catch (error) {
    throw invalid(trip, `is no ${descriptor.output.typeName}. Are the tool's descriptors those of the service?`, error);
  }
}

const UNKNOWN_TYPE = /"([^"]{1,200})" is not in the type registry/;

/** Of the library's texts, those that hold nothing of the answer. */
function reasonOf(error: unknown): string {
  const type = UNKNOWN_TYPE.exec(error instanceof Error ? error.message : "")?.[1];
  if (type === undefined) return "it holds a value that JSON cannot hold.";
  return `it holds a google.protobuf.Any of ${type}, which the tool's descriptors do not hold.`;
}

function invalid({ tool, address }: Trip, why: string, cause: unknown): ToolgateError {
  return new ToolgateError("RESULT_INVALID", `The answer of "${tool.name}" (${address}) ${why}`, { cause });
}
