import {
  type CallInput,
  excerpt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonTypeOf,
  type Outcome,
  parseJson,
  type ReadyCall,
  type ResolvedCall,
  ToolgateError,
} from "@toolgate/core";
import { jsonFault } from "../json-fault.ts";
import type { Stage } from "../stage.ts";

/** Reads arguments that came as text. What is not one JSON object is refused, saying where it breaks. */
export function readArguments(): Stage<ResolvedCall, Outcome, ReadyCall, Outcome> {
  return {
    name: "read-arguments",
    run(call, next) {
      const { input } = call;
      if (input.encoding === "value") return next({ ...call, args: input.value });
      return next({ ...call, args: read(input), argsText: input.text });
    },
  };
}

function read(input: Extract<CallInput, { encoding: "text" }>): JsonObject {
  const value = parse(input.text);
  if (isJsonObject(value)) return value;
  const type = jsonTypeOf(value);
  throw new ToolgateError(
    "INVALID_ARGUMENT",
    `The arguments must be one JSON object, but the text is a JSON ${type}.`,
    {
      violations: [{ path: "", expected: "object", got: type }],
    },
  );
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ToolgateError(
      "INVALID_ARGUMENT",
      `The arguments are not valid JSON. ${jsonFault(text, error)} Send one whole JSON object.`,
      {
        violations: [{ path: "", expected: "JSON text of one object", got: excerpt(text, 60) }],
      },
    );
  }
}
