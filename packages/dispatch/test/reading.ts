import { type CallInput, type JsonObject, type Outcome, type ReadyCall, ToolgateError } from "@toolgate/core";
import { createSchemaCompiler } from "@toolgate/languages/json-schema";
import { aSchema, aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { Line } from "../src/stage.ts";
import { coerce } from "../src/stages/coerce.ts";
import { defaults } from "../src/stages/defaults.ts";
import { readArguments } from "../src/stages/read-arguments.ts";
import { validate } from "../src/stages/validate.ts";

export const schemas = createSchemaCompiler();
const DONE: Outcome = { kind: "success", data: { value: null } };

/** What becomes of arguments on their way to the backend: the call that it gets, or why there is none. */
export async function readFor(schema: JsonObject, input: CallInput): Promise<ReadyCall | ToolgateError> {
  let reached: ReadyCall | undefined;
  const line = Line.start<ReadyCall, Outcome>()
    .add(readArguments())
    .add(coerce())
    .add(defaults(schemas))
    .add(validate(schemas))
    .end(async (call) => {
      reached = call;
      return DONE;
    });
  try {
    await line(aReadyCall({ tool: aTool({ inputSchema: aSchema(schema) }), input }));
    return reached as ReadyCall;
  } catch (error) {
    if (error instanceof ToolgateError && error.code === "INVALID_ARGUMENT") return error;
    throw error;
  }
}

/** The arguments that the tool gets; "refused" where it is not called. */
export async function argumentsFor(schema: JsonObject, input: CallInput): Promise<JsonObject | "refused"> {
  const read = await readFor(schema, input);
  return read instanceof ToolgateError ? "refused" : read.args;
}
