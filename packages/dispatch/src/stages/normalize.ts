import {
  type Data,
  type JsonValue,
  type Outcome,
  type PathLanguage,
  pickFields,
  type ReadyCall,
  type Reply,
  type SchemaCompiler,
  type ScriptRunner,
  type Tool,
  ToolgateError,
} from "@toolgate/core";
import { readAnswer } from "../read-answer.ts";
import type { Stage } from "../stage.ts";
import { transform } from "../transform.ts";

export interface NormalizePorts {
  readonly paths: PathLanguage;
  readonly schemas: SchemaCompiler;
  readonly scripts: ScriptRunner;
}

/** Makes `data` of the backend's reply: format, transform, mapping, output schema, then only the wanted fields. */
export function normalize({ paths, schemas, scripts }: NormalizePorts): Stage<ReadyCall, Outcome, ReadyCall, Reply> {
  return {
    name: "normalize",
    async run(call, next) {
      const reply = await next(call);
      const { tool } = call.entry;
      let data = reply.kind === "value" ? { value: reply.value } : readAnswer(tool, reply, wantsJson(call));
      if (!call.raw) {
        data = map(call, paths, await transform(call, scripts, data));
        checkOutput(tool, schemas, data.value);
      }
      return { kind: "success", data: keepFields(call, data) };
    },
  };
}

/** Whether a path goes into the answer itself: what is no JSON yet may become some in the tool's script. */
function wantsJson({ raw, entry: { tool } }: ReadyCall): boolean {
  return !raw && tool.response.mapping !== undefined && tool.response.transform === undefined;
}

function map(call: ReadyCall, paths: PathLanguage, data: Data): Data {
  const { mapping } = call.entry.tool.response;
  if (mapping === undefined) return data;
  const mapped: [string, JsonValue][] = [];
  for (const [field, path] of Object.entries(mapping)) {
    const found = paths.select(path, data.value);
    if (found === undefined)
      call.trail.warnings.push(`The field "${field}" is missing: nothing at ${path} in the answer.`);
    mapped.push([field, found ?? null]);
  }
  if (mapped.length > 0 && mapped.every(([, value]) => value === null || isEmptyList(value))) {
    call.trail.warnings.push("No path of the mapping found anything. Call with raw to see the tool's own answer.");
  }
  return { value: Object.fromEntries(mapped) };
}

function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

function checkOutput(tool: Tool, schemas: SchemaCompiler, value: JsonValue): void {
  if (tool.outputSchema === undefined) return;
  const violations = schemas.validate(tool.outputSchema, value);
  if (violations.length === 0) return;
  const first = violations
    .slice(0, 3)
    .map(({ path, expected, got }) => `${path || "the whole"}: expected ${expected}, got ${got}`);
  throw new ToolgateError(
    "RESULT_INVALID",
    `The result of "${tool.name}" does not fit its output schema: ${first.join("; ")}.`,
  );
}

function keepFields(call: ReadyCall, data: Data): Data {
  if (call.fields.length === 0) return data;
  const { value, missing } = pickFields(data.value, call.fields);
  for (const field of missing) call.trail.warnings.push(`The field "${field}" is not in the result.`);
  return { value };
}
