import { resolve } from "node:path";
import {
  type BackendSpec,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  type SchemaDocument,
  stringifyJson,
  type ToolDefinition,
  ToolgateError,
  type TransformSpec,
} from "@toolgate/core";
import {
  checkValue,
  type DocumentProblem,
  type Path,
  type ReferenceSources,
  type SourceDocument,
} from "@toolgate/documents";
import { idleLimitKeys } from "./limit-keys.ts";
import { paramList, type ReadParams, readParams } from "./params.ts";
import { toDefinition } from "./tool-definition.ts";
import type { ToolKeys } from "./tool-keys.ts";
import type { ToolKind } from "./tool-kind.ts";
import { chooseKind, keysOfKind, schemaOfTool } from "./tool-schema.ts";
import { readTransform } from "./transform-keys.ts";

export interface ToolPlace {
  readonly document: SourceDocument;
  /** Where in the document the tool is. */
  readonly at: Path;
  readonly kinds: readonly ToolKind[];
  readonly references: ReferenceSources | undefined;
  readonly resolvePath?: ((path: string) => string) | undefined;
}

export type ReadTool =
  | { readonly ok: true; readonly definition: ToolDefinition; readonly toolset: string | undefined }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

/** Reads one tool of a document, with every problem that can be told at once. */
export function readTool(place: ToolPlace): ReadTool {
  const { document, at, kinds } = place;
  const written = at.reduce<JsonValue>(
    (value, key) => (value as JsonObject)[key as string] as JsonValue,
    document.value,
  );
  const options = { at, ...(place.references === undefined ? {} : { references: place.references }) };
  if (!isJsonObject(written)) return checkValue(document, schemaOfTool(undefined), options) as ReadTool;
  const chosen = chooseKind(written, kinds);
  if (!chosen.ok) return refuse([document.problemAt([...at, chosen.key], chosen.message)]);
  const checked = checkValue(document, schemaOfTool(chosen.kind), options);
  const params = readParamsOf(place, written);
  if (!checked.ok || !params.ok) {
    return refuse([...(checked.ok ? [] : checked.problems), ...(params.ok ? [] : params.problems)]);
  }
  return assemble(place, { keys: checked.value as ToolKeys, kind: chosen.kind, params: params.value });
}

function refuse(problems: readonly DocumentProblem[]): ReadTool {
  return { ok: false, problems };
}

type ReadParamsResult =
  | { readonly ok: true; readonly value: ReadParams | undefined }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

function readParamsOf({ document, at }: ToolPlace, written: JsonObject): ReadParamsResult {
  // What is no list at all, the schema of the tool says.
  if (!Array.isArray(written.params)) return { ok: true, value: undefined };
  const path = [...at, "params"];
  const checked = checkValue(document, paramList, { at: path });
  if (!checked.ok) return checked;
  // From what was written, not from what the check made of it: that has lost the order of the keys.
  const value = readParams(written.params as readonly JsonObject[]);
  const problems = value.problems.map((problem) => document.problemAt([...path, ...problem.path], problem.message));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value };
}

interface Parts {
  readonly keys: ToolKeys;
  readonly kind: ToolKind | undefined;
  readonly params: ReadParams | undefined;
}

function assemble({ document, at, resolvePath }: ToolPlace, { keys, kind, params }: Parts): ReadTool {
  const problems: DocumentProblem[] = [];
  const complain = (path: Path, message: string): undefined => {
    problems.push(document.problemAt([...at, ...path], message));
  };
  for (const [path, message] of contradictions(keys)) complain(path, message);
  const schemaOf = (key: "input_schema" | "output_schema") => {
    const schema = keys[key];
    return schema === undefined ? undefined : (schemaDocument(schema as JsonValue) ?? complain([key], NOT_A_SCHEMA));
  };
  const stated = params === undefined ? schemaOf("input_schema") : textOf(params.schema);
  const outputSchema = schemaOf("output_schema");
  const transform = transformOf(keys, { resolvePath: resolvePath ?? ((path) => resolve(path)), complain });
  let backend: BackendSpec | undefined;
  try {
    const { locations = {}, names = {} } = params ?? {};
    const context = { toolName: keys.name, locations, names, ...(resolvePath === undefined ? {} : { resolvePath }) };
    backend = kind?.toBackend(keysOfKind(keys, kind), context);
  } catch (thrown) {
    // Only the messages of our own errors are known to hold no secret.
    const why = thrown instanceof ToolgateError ? thrown.message : "they do not fit together.";
    complain([], `The keys of this "${kind?.kind}" tool cannot be used: ${why}`);
  }
  if (problems.length > 0) return refuse(problems);
  const known = stated === undefined && backend !== undefined ? kind?.inputSchema?.(backend) : undefined;
  const inputSchema = known === undefined ? stated : textOf(known);
  const definition = toDefinition(keys, { inputSchema, outputSchema, backend, transform });
  return { ok: true, definition, toolset: keys.toolset };
}

interface TransformPlace {
  readonly resolvePath: (path: string) => string;
  readonly complain: (path: Path, message: string) => undefined;
}

function transformOf({ response }: ToolKeys, { resolvePath, complain }: TransformPlace): TransformSpec | undefined {
  if (response?.transform === undefined) return undefined;
  const at = ["response", "transform"];
  return readTransform(response.transform, {
    resolvePath,
    complain: (key, message) => complain(key === undefined ? at : [...at, key], message),
  });
}

function contradictions(keys: ToolKeys): readonly (readonly [path: Path, message: string])[] {
  const found: (readonly [Path, string])[] = [];
  if (keys.params !== undefined && keys.input_schema !== undefined) {
    found.push([["input_schema"], `"params" and "input_schema" say the same thing: leave one of them out.`]);
  }
  if (keys.execution === "client" && keys.response?.transform !== undefined) {
    found.push([
      ["response", "transform"],
      "A tool that the client runs has no answer here that could be transformed.",
    ]);
  }
  if (keys.rate_limit !== undefined && keys.limits?.rate !== undefined) {
    found.push([["limits", "rate"], `"rate_limit" and "limits: rate" say the same thing: leave one of them out.`]);
  }
  const rate = keys.rate_limit ?? keys.limits?.rate;
  for (const [key, message] of idleLimitKeys({ ...keys.limits, ...(rate === undefined ? {} : { rate }) })) {
    found.push([["limits", key], message]);
  }
  const { initial_interval: initial, max_interval: max } = keys.retry ?? {};
  if (initial !== undefined && max !== undefined && initial > max) {
    found.push([["retry", "max_interval"], `"max_interval" must not be less than "initial_interval".`]);
  }
  return found;
}

const NOT_A_SCHEMA = "Expected a JSON Schema: a map, true, false, or one of these as JSON text.";

/** JSON text stays as it is, byte for byte. */
function schemaDocument(schema: JsonValue): SchemaDocument | undefined {
  if (typeof schema !== "string") return textOf(schema as JsonObject | boolean);
  try {
    const value = parseJson(schema);
    return isJsonObject(value) || typeof value === "boolean" ? { text: schema, value } : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: JsonObject | boolean): SchemaDocument {
  return { text: stringifyJson(value), value };
}
