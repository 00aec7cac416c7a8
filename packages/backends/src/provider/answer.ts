import { fromBinary } from "@bufbuild/protobuf";
import { type InvokeResponse, InvokeResponseSchema } from "@toolgate/contract";
import { answerTooLarge, type Reply } from "@toolgate/core";
import type { Trip } from "../grpc-channel/index.ts";
import { nonsense, toolFailure } from "./errors.ts";
import { jsonOfValue } from "./value.ts";

const MAX_WARNINGS = 32;

/**
 * The reply that a provider's answer is.
 *
 * @throws ToolgateError TOOL_ERROR where the answer is a failure, RESULT_INVALID
 * where it makes no sense, RESULT_TOO_LARGE beyond the tool's bound.
 */
export function replyOf(trip: Trip, message: Buffer): Reply {
  const { outcome, warnings } = decode(trip, message);
  const { maxBytes } = trip.tool.response;
  const extra = warnings.length === 0 ? {} : { warnings: warnings.slice(0, MAX_WARNINGS) };
  switch (outcome.case) {
    case "dataJson":
      if (message.length > maxBytes && Buffer.byteLength(outcome.value) > maxBytes) throw answerTooLarge(trip);
      return { kind: "text", text: outcome.value, mediaType: "application/json", ...extra };
    case "data":
      if (message.length > maxBytes) throw answerTooLarge(trip);
      return { kind: "value", value: jsonIn(trip, outcome.value), ...extra };
    case "failure":
      throw toolFailure(trip, outcome.value);
    default:
      throw nonsense(trip, "an answer with neither a result nor a failure");
  }
}

function decode(trip: Trip, message: Buffer): InvokeResponse {
  try {
    return fromBinary(InvokeResponseSchema, message);
  } catch (error) {
    throw nonsense(trip, "bytes that are no InvokeResponse", error);
  }
}

function jsonIn(trip: Trip, value: Parameters<typeof jsonOfValue>[0]) {
  try {
    return jsonOfValue(value);
  } catch (error) {
    throw nonsense(trip, "a result that JSON cannot hold", error);
  }
}
