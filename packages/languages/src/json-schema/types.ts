import { type DefinitionProblem, nearNames } from "@toolgate/core";
import type { Subschema } from "./walk.ts";

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** What people write who think of another language; `undefined` means no type at all. */
const MEANT: Readonly<Record<string, string | undefined>> = {
  any: undefined,
  arraylist: "array",
  bigint: "integer",
  bool: "boolean",
  byte: "integer",
  bytes: "string",
  char: "string",
  date: "string",
  datetime: "string",
  decimal: "number",
  dict: "object",
  dictionary: "object",
  double: "number",
  enum: "string",
  file: "string",
  float: "number",
  float32: "number",
  float64: "number",
  hashmap: "object",
  hashtable: "object",
  int: "integer",
  int32: "integer",
  int64: "integer",
  json: "object",
  list: "array",
  long: "integer",
  map: "object",
  mixed: undefined,
  none: "null",
  nonetype: "null",
  numeric: "number",
  queue: "array",
  record: "object",
  set: "array",
  short: "integer",
  stack: "array",
  str: "string",
  struct: "object",
  text: "string",
  timestamp: "string",
  tuple: "array",
  undefined: "null",
  unknown: undefined,
  url: "string",
  uuid: "string",
  vector: "array",
};

/** Types that JSON Schema does not have, each with the one that was probably meant. */
export function inspectTypes({ path, schema: { type } }: Subschema): DefinitionProblem[] {
  if (typeof type === "string" && TYPES.includes(type)) return [];
  return [type].flat().flatMap((name) => {
    if (typeof name !== "string" || TYPES.includes(name)) return [];
    const shown = JSON.stringify(name.slice(0, 60));
    return [{ path: `${path}/type`, message: `${shown} is not a JSON Schema type; ${hintFor(name)}` }];
  });
}

function hintFor(name: string): string {
  const folded = name.toLowerCase().replace(/[^a-z0-9].*$/, "");
  if (TYPES.includes(folded)) return `did you mean "${folded}"?`;
  if (Object.hasOwn(MEANT, folded)) {
    const meant = MEANT[folded];
    return meant === undefined ? 'leave "type" out to allow any value' : `did you mean "${meant}"?`;
  }
  const [near] = nearNames(folded, TYPES, 1);
  return near === undefined ? `known types: ${TYPES.join(", ")}` : `did you mean "${near}"?`;
}
