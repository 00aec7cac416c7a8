import {
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

/**
 * Reads arguments that came as text. No text means no arguments, and the JSON
 * text of a JSON text is read twice: both are common among those who call by
 * models. What is not one JSON object then is refused, saying where it breaks.
 */
export function readArguments(): Stage<ResolvedCall, Outcome, ReadyCall, Outcome> {
  return {
    name: "read-arguments",
    run(call, next) {
      const { input } = call;
      if (input.encoding === "value") return next({ ...call, args: input.value });
      const { value, text } = read(input.text);
      if (text !== input.text && text !== NO_ARGUMENTS) call.trail.warnings.push(READ_TWICE);
      return next({ ...call, args: value, argsText: text });
    },
  };
}

const NO_ARGUMENTS = "{}";
const MEANT_AS_OBJECT = /^[ \t\n\r]*(?:\{|$)/;
const READ_TWICE = "The arguments were the JSON text of a JSON text, which was read as the object that it holds.";

/** The object, and the text that is exactly it. */
function read(text: string): { readonly value: JsonObject; readonly text: string } {
  if (isBlank(text)) return { value: {}, text: NO_ARGUMENTS };
  const value = parse(text);
  if (isJsonObject(value)) return { value, text };
  if (typeof value === "string" && MEANT_AS_OBJECT.test(value)) {
    const inner = isBlank(value) ? NO_ARGUMENTS : value;
    return { value: parse(inner) as JsonObject, text: inner };
  }
  const type = jsonTypeOf(value);
  throw new ToolgateError(
    "INVALID_ARGUMENT",
    `The arguments must be one JSON object, but the text is a JSON ${type}.`,
    {
      violations: [{ path: "", expected: "object", got: type }],
    },
  );
}

/** Without anything but white space, as RFC 8259 has it. */
function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text);
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
