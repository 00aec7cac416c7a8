import type { DefinitionProblem, JsonObject, JsonValue, SchemaDocument } from "@toolgate/core";
import { inspectRegExp } from "../safe-regexp.ts";
import { DIALECTS, dialectOf } from "./dialects.ts";
import { inspectKeywords } from "./keywords.ts";
import { isDeeperThan, type Subschema, subschemas, valueAt } from "./walk.ts";

export const MAX_SCHEMA_LENGTH = 256 * 1024;
export const MAX_SCHEMA_DEPTH = 64;
const MAX_PROBLEMS = 20;

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
/** What people write who think of another language. */
const MEANT: Readonly<Record<string, string>> = {
  any: "no type at all",
  bool: "boolean",
  char: "string",
  date: 'string with "format": "date"',
  dict: "object",
  double: "number",
  file: "string",
  float: "number",
  hashmap: "object",
  int: "integer",
  list: "array",
  long: "integer",
  map: "object",
  none: "null",
  set: "array",
  str: "string",
  text: "string",
  tuple: "array",
};

export interface Inspection {
  readonly problems: readonly DefinitionProblem[];
  /** Whether only compiling the schema can tell whether all its references lead somewhere. */
  readonly unsure: boolean;
}

/** What can be seen without compiling: form, bounds, dialect, types, patterns, references. */
export function inspectForm({ text, value }: SchemaDocument): Inspection {
  const fatal = fatalProblem(text, value as JsonValue);
  if (fatal !== undefined) return { problems: [fatal], unsure: false };
  if (typeof value === "boolean") return { problems: [], unsure: false };
  const problems: DefinitionProblem[] = [];
  let unsure = false;
  const resources = hasResources(value);
  for (const subschema of subschemas(value)) {
    const reference = inspectReference(subschema, value, resources);
    unsure ||= reference === "unsure";
    if (typeof reference === "object") problems.push(reference);
    problems.push(
      ...inspectKeywords(subschema),
      ...inspectTypes(subschema),
      ...inspectChoices(subschema),
      ...inspectPatterns(subschema),
    );
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return { problems, unsure };
}

function fatalProblem(text: string, value: JsonValue): DefinitionProblem | undefined {
  if (text.length > MAX_SCHEMA_LENGTH) {
    return {
      path: "",
      message: `the schema is ${text.length} characters long; at most ${MAX_SCHEMA_LENGTH} are allowed`,
    };
  }
  if ((typeof value !== "object" && typeof value !== "boolean") || value === null || Array.isArray(value)) {
    return { path: "", message: "a schema must be a JSON object, true or false" };
  }
  if (isDeeperThan(value, MAX_SCHEMA_DEPTH)) {
    return { path: "", message: `the schema is nested more than ${MAX_SCHEMA_DEPTH} deep` };
  }
  if (dialectOf(value) !== undefined) return undefined;
  const named = JSON.stringify((value as JsonObject).$schema).slice(0, 120);
  return {
    path: "/$schema",
    message: `the dialect ${named} is not known; use ${DIALECTS.join(", ")}, or leave it out for 2020-12`,
  };
}

/** Whether parts of the schema have names of their own, so that a reference may mean something else than a place. */
function hasResources(root: JsonObject): boolean {
  for (const { schema } of subschemas(root)) {
    if (
      typeof schema.$id === "string" ||
      typeof schema.$anchor === "string" ||
      typeof schema.$dynamicAnchor === "string"
    )
      return true;
  }
  return false;
}

function inspectReference({ path, schema }: Subschema, root: JsonObject, resources: boolean) {
  const key = ["$ref", "$dynamicRef", "$recursiveRef"].find((name) => typeof schema[name] === "string");
  if (key === undefined) return undefined;
  const ref = schema[key] as string;
  if (resources || key !== "$ref" || isMetaSchema(ref)) return "unsure";
  const problem = (message: string): DefinitionProblem => ({ path: `${path}/${key}`, message });
  if (!ref.startsWith("#")) {
    return problem(
      `the reference ${JSON.stringify(ref.slice(0, 120))} leads out of the schema; nothing is ever fetched`,
    );
  }
  const pointer = safeDecode(ref.slice(1));
  if (pointer !== "" && (!pointer.startsWith("/") || valueAt(root, pointer) === undefined)) {
    return problem(`the reference ${JSON.stringify(ref.slice(0, 120))} leads nowhere in the schema`);
  }
  return undefined;
}

function isMetaSchema(ref: string): boolean {
  return /^https?:\/\/json-schema\.org\//.test(ref);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function inspectTypes({ path, schema }: Subschema): DefinitionProblem[] {
  const { type } = schema;
  return [type].flat().flatMap((name) => {
    if (typeof name !== "string" || TYPES.includes(name)) return [];
    const meant = meantType(name);
    const hint = meant === undefined ? `known types: ${TYPES.join(", ")}` : `did you mean ${meant}?`;
    return [{ path: `${path}/type`, message: `${JSON.stringify(name)} is not a JSON Schema type; ${hint}` }];
  });
}

function meantType(name: string): string | undefined {
  const folded = name.toLowerCase();
  if (TYPES.includes(folded)) return `"${folded}"`;
  const meant = Object.hasOwn(MEANT, folded) ? MEANT[folded] : undefined;
  return meant === undefined || meant.includes(" ") ? meant : `"${meant}"`;
}

/** The standard allows an empty list, but then nothing ever fits: it can only be a mistake. */
function inspectChoices({ path, schema }: Subschema): DefinitionProblem[] {
  const isEmpty = Array.isArray(schema.enum) && schema.enum.length === 0;
  return isEmpty ? [{ path: `${path}/enum`, message: "the list of choices is empty, so that no value fits" }] : [];
}

function inspectPatterns({ path, schema }: Subschema): DefinitionProblem[] {
  const patterns = typeof schema.pattern === "string" ? [{ at: `${path}/pattern`, pattern: schema.pattern }] : [];
  for (const pattern of Object.keys(
    typeof schema.patternProperties === "object" ? (schema.patternProperties ?? {}) : {},
  )) {
    patterns.push({ at: `${path}/patternProperties`, pattern });
  }
  return patterns.flatMap(({ at, pattern }) => {
    const message = inspectRegExp(pattern);
    return message === undefined ? [] : [{ path: at, message }];
  });
}
