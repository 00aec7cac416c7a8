import { type JsonObject, type JsonValue, jsonTypeOf, stringifyJson } from "@toolgate/core";
import { listed } from "@toolgate/documents";
import { z } from "zod";
import type { ToolKindContext } from "./tool-kind.ts";

const TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"] as const;
const type = z.enum(TYPES);
const count = z.int().min(0);
const schema = z.union([z.record(z.string(), z.unknown()), z.boolean()]);

/** Keywords of JSON Schema 2020-12, in their own spelling. */
const keywords = {
  type: z.union([type, z.array(type).min(1)]).optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  deprecated: z.boolean().optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  items: schema.optional(),
  minItems: count.optional(),
  maxItems: count.optional(),
  uniqueItems: z.boolean().optional(),
  properties: z.record(z.string(), schema).optional(),
  additionalProperties: schema.optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
  minLength: count.optional(),
  maxLength: count.optional(),
  pattern: z.string().optional(),
  format: z.string().optional(),
};

const param = z.strictObject({
  name: z.string().min(1).max(256),
  required: z.boolean().optional(),
  in: z.enum(["path", "query", "header", "body"]).optional(),
  wire_name: z.string().min(1).max(256).optional(),
  ...keywords,
});

/** The short form of `params`. */
export const paramList = z.array(param).max(512);

export interface ParamProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface ReadParams extends Pick<ToolKindContext, "locations" | "names"> {
  /** Keywords stand in the order in which they were written. */
  readonly schema: JsonObject;
  /** Paths are relative to the list. */
  readonly problems: readonly ParamProblem[];
}

/**
 * Makes an input schema of a list that fits {@link paramList}: a closed
 * object, so that a misspelt argument is refused.
 */
export function readParams(list: readonly JsonObject[]): ReadParams {
  const read = list.map(readParam);
  const schema: JsonObject = {
    type: "object",
    properties: Object.fromEntries(read.map(({ name, keywords }) => [name, keywords])),
  };
  const required = read.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  if (required.length > 0) schema.required = required;
  schema.additionalProperties = false;
  return {
    schema,
    locations: Object.fromEntries(read.flatMap(({ name, place }) => (place === undefined ? [] : [[name, place]]))),
    names: Object.fromEntries(read.flatMap(({ name, wireName }) => (wireName === undefined ? [] : [[name, wireName]]))),
    problems: read.flatMap((one, index) => problemsOf(one, read.slice(0, index)).map(under(index))),
  };
}

interface Param {
  readonly name: string;
  readonly isRequired: boolean;
  readonly place: string | undefined;
  readonly wireName: string | undefined;
  readonly keywords: JsonObject;
}

function readParam({ name, required, in: place, wire_name, ...keywords }: JsonObject): Param {
  return {
    name: name as string,
    isRequired: required === true,
    place: place as string | undefined,
    wireName: wire_name as string | undefined,
    keywords,
  };
}

function problemsOf({ name, keywords }: Param, before: readonly Param[]): readonly ParamProblem[] {
  const problems: ParamProblem[] = [];
  if (name === "__proto__" || before.some((other) => other.name === name)) {
    const why = name === "__proto__" ? "is not allowed" : "occurs twice";
    problems.push({ path: ["name"], message: `The parameter ${stringifyJson(name)} ${why}.` });
  }
  const misfit = misfitOfDefault(keywords);
  if (misfit !== undefined) problems.push({ path: ["default"], message: misfit });
  return problems;
}

function under(index: number) {
  return ({ path, message }: ParamProblem): ParamProblem => ({ path: [index, ...path], message });
}

/** A default that its own type forbids would make every call fail that leaves the parameter out. */
function misfitOfDefault(keywords: JsonObject): string | undefined {
  const { type, default: value } = keywords;
  if (value === undefined || type === undefined) return undefined;
  const types = (Array.isArray(type) ? type : [type]) as readonly string[];
  const got = jsonTypeOf(value as JsonValue);
  if (types.includes(got) || (got === "integer" && types.includes("number"))) return undefined;
  return `The default must be of the type ${listed(types)}, not ${got}.`;
}
