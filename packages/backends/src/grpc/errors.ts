import type { FileRegistry } from "@bufbuild/protobuf";
import { BACKEND_BODY_LIMIT, cut, ownWords, ToolgateError, unreachable } from "@toolgate/core";
import { type CallStatus, failureOf, type Trip, type UnaryEnd } from "../grpc-channel/index.ts";
import type { Reflected } from "./descriptors/reflection.ts";
import { statusDetails } from "./status-details.ts";

/** What a call that ended without the method's output means for the caller. */
export function errorOf(
  trip: Trip,
  end: Exclude<UnaryEnd, { kind: "answered" }>,
  types: FileRegistry | undefined,
): ToolgateError {
  return end.kind === "status" ? statusError(trip, end.status, types) : failureOf(trip, end);
}

/** The service's own error. One that names a time to come back is a limit of the service; any other is not to be repeated. */
function statusError(
  trip: Trip,
  { name, details, metadata }: CallStatus,
  types: FileRegistry | undefined,
): ToolgateError {
  const { list, retryAfterMs } = statusDetails(metadata, types);
  const more = list.length === 0 ? "" : JSON.stringify(list);
  const body = cut([details, more].filter((text) => text !== "").join("\n"), BACKEND_BODY_LIMIT);
  const said = `The backend of "${trip.tool.name}" (${trip.address}) answered ${name}`;
  const backendAnswer = { status: name, body };
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (name === "RESOURCE_EXHAUSTED" && retryAfterMs !== undefined) {
    return new ToolgateError("RATE_LIMITED", `${said}: its own limit is used up${ownWords(details)}`, {
      backendAnswer,
      ...wait,
    });
  }
  const retryable = name === "UNAVAILABLE";
  return new ToolgateError("TOOL_ERROR", `${said}${ownWords(details)}`, { backendAnswer, retryable, ...wait });
}

/** Why there are no descriptors for a call; the call itself was not made. */
export function noDescriptors(trip: Trip, reflected: Exclude<Reflected, { kind: "linked" }>): ToolgateError {
  const { tool, address } = trip;
  switch (reflected.kind) {
    case "not-offered": {
      const message =
        `The gRPC service of "${tool.name}" (${address}) offers no reflection, so its messages are not known. ` +
        "Give the tool a descriptor_set_file or a proto_file.";
      return new ToolgateError("TOOL_ERROR", message, { backendAnswer: { status: "UNIMPLEMENTED", body: "" } });
    }
    case "unknown":
      return unusable(trip, `the service is not known to its reflection${ownWords(reflected.message)}`);
    case "failed": {
      const { end } = reflected;
      if (end.kind === "status") return errorOf(trip, end, undefined);
      if (end.kind === "undelivered" || end.kind === "closed" || end.kind === "not-grpc") return failureOf(trip, end);
      const words = end.kind === "lost" ? `its reflection ${end.words}` : "its reflection gave no answer";
      return unreachable(trip, words, end.kind === "lost" ? { cause: end.cause } : {});
    }
  }
}

/** The service's descriptors do not make the method a tool. */
export function unusable({ tool, address }: Trip, why: string): ToolgateError {
  return new ToolgateError("TOOL_ERROR", `The tool "${tool.name}" (${address}) cannot be called: ${why}`);
}
