import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { $ZodType } from "zod/v4/core";
import type { JsonObject } from "../json/json.ts";
import { checkedArguments, checkedResult } from "./check-value.ts";
import { isZod, requireObject, schemaText } from "./schema-text.ts";
import type { ArgumentsOf, JsonSchema, Schema, Tool, ToolContext, ToolOptions } from "./tool.ts";

const MAX_TIMEOUT_MS = 3_600_000;

/**
 * Defines a tool. The handler's arguments are typed from a Zod schema.
 *
 * What only the gateway can judge (is the name legal, is it free, is a JSON
 * Schema valid) is answered when the tool is registered.
 *
 * @throws TypeError or RangeError in words, where the definition itself cannot be used.
 */
export function defineTool<A extends Schema, R extends Schema = JsonSchema>(options: ToolOptions<A, R>): Tool {
  const { name, schema, outputSchema, check } = options;
  if (typeof name !== "string" || name === "") throw new TypeError("A tool needs a name that is not empty.");
  if (typeof options.handler !== "function")
    throw new TypeError(`The handler of the tool "${name}" is not a function.`);
  const inputText = schemaText(schema, "input", `schema of the tool "${name}"`);
  requireObject(inputText, `schema of the tool "${name}"`);
  const outputText =
    outputSchema === undefined ? "" : schemaText(outputSchema, "output", `outputSchema of the tool "${name}"`);
  return {
    name,
    definition: { ...described(options), inputSchema: inputText, outputSchema: outputText },
    run: runner(options),
    check,
  };
}

function described<A extends Schema, R extends Schema>(options: ToolOptions<A, R>): Tool["definition"] {
  const { name, title = "", description, owner = "", contact = "", annotations = {}, timeoutMs } = options;
  const { capabilities = [], tags = [], scopes = [], check } = options;
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new RangeError(`timeoutMs of the tool "${name}" must be more than 0 and at most ${MAX_TIMEOUT_MS}.`);
  }
  return {
    name,
    title,
    description,
    owner,
    contact,
    annotations: { ...annotations },
    capabilities: [...capabilities],
    tags: [...tags],
    scopes: [...scopes],
    backend: { case: "provider", value: { check: check !== undefined } },
    ...(timeoutMs === undefined ? {} : { timeout: durationFromMs(Math.ceil(timeoutMs)) }),
  };
}

function runner<A extends Schema, R extends Schema>(options: ToolOptions<A, R>): Tool["run"] {
  const { handler } = options;
  const input: $ZodType | undefined = isZod(options.schema) ? options.schema : undefined;
  const output: $ZodType | undefined = isZod(options.outputSchema) ? options.outputSchema : undefined;
  return async (args: JsonObject, context: ToolContext) => {
    const checked = input === undefined ? args : await checkedArguments(input, args);
    const result = await handler(checked as ArgumentsOf<A>, context);
    return output === undefined ? result : checkedResult(output, result);
  };
}
