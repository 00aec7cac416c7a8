import { type DescMessage, fromJson, type JsonValue as ProtoJson, toBinary } from "@bufbuild/protobuf";
import { containsBigInt, type JsonObject, ToolgateError, type Violation } from "@toolgate/core";
import { bufferOf } from "../grpc-channel/index.ts";
import { violationsIn } from "./argument-walk.ts";
import { withDigits } from "./big-integers.ts";
import type { ToolMethod } from "./descriptors/method.ts";

/**
 * The arguments of a call as the method's message, by the JSON mapping of
 * Protocol Buffers: fields by either of their names, 64-bit integers as number
 * or text, enums by name, bytes in base64.
 *
 * @throws ToolgateError INVALID_ARGUMENT with every place that does not fit.
 */
export function encodeArguments({ descriptor, registry }: ToolMethod, args: JsonObject, tool: string): Buffer {
  const { input } = descriptor;
  const json = containsBigInt(args) ? digitsKept(input, args, tool) : (args as ProtoJson);
  try {
    return bufferOf(toBinary(input, fromJson(input, json, { registry })));
  } catch (error) {
    const found = violationsIn(input, json, registry);
    throw misfit(tool, found.length > 0 ? found : [unplaced(input, error)]);
  }
}

function digitsKept(input: DescMessage, args: JsonObject, tool: string): ProtoJson {
  const { json, violations } = withDigits(input, args);
  if (violations.length > 0) throw misfit(tool, violations);
  return json;
}

function unplaced({ typeName }: DescMessage, error: unknown): Violation {
  const why = error instanceof Error ? error.message.replace(/^cannot decode .* from JSON: /, "") : "something else";
  return { path: "", expected: `the JSON of a ${typeName}`, got: why.slice(0, 200) };
}

const SHOWN = 3;

function misfit(tool: string, violations: readonly Violation[]): ToolgateError {
  const first = violations
    .slice(0, SHOWN)
    .map(({ path, expected, got }) => `${path === "" ? "the arguments" : path}: expected ${expected}, got ${got}`);
  const more = violations.length > SHOWN ? `; and ${violations.length - SHOWN} more` : "";
  return new ToolgateError(
    "INVALID_ARGUMENT",
    `The arguments of "${tool}" do not fit its gRPC method: ${first.join("; ")}${more}.`,
    { violations },
  );
}
