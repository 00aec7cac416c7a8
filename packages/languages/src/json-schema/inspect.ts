import {
  type DefinitionProblem,
  escapePointer,
  type JsonObject,
  type JsonValue,
  type SchemaDocument,
} from "@toolgate/core";
import { inspectRegExp } from "../patterns/safe-regexp.ts";
import { DIALECTS, type Dialect, dialectOf } from "./dialects.ts";
import { isKnownFormat } from "./formats.ts";
import { inspectKeywords } from "./keywords.ts";
import { inspectCircles, inspectDynamicReferences, inspectReference, needsCompiling, quote } from "./references.ts";
import { inspectTypes } from "./types.ts";
import { isDeeperThan, type Subschema, subschemas } from "./walk.ts";

export const MAX_SCHEMA_LENGTH = 256 * 1024;
export const MAX_SCHEMA_DEPTH = 64;
const MAX_PROBLEMS = 20;

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
  const dialect = dialectOf(value) as Dialect;
  const places = subschemas(value);
  const unsure = needsCompiling(value, text, places);
  const problems: DefinitionProblem[] = [];
  for (const place of places) {
    problems.push(...inspectPlace(place, dialect));
    if (!unsure) problems.push(...inspectReference(place, value));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  if (problems.length === 0) problems.push(...inspectDynamicReferences(places), ...inspectCircles(value, places));
  return { problems: problems.slice(0, MAX_PROBLEMS), unsure };
}

function inspectPlace(place: Subschema, dialect: Dialect): readonly DefinitionProblem[] {
  return [
    ...inspectKeywords(place, dialect),
    ...inspectTypes(place),
    ...inspectChoices(place),
    ...inspectPattern(place),
    ...inspectPatternProperties(place),
  ];
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
  const named = quote(String((value as JsonObject).$schema));
  return {
    path: "/$schema",
    message: `the dialect ${named} is not known; use ${DIALECTS.join(", ")}, or leave it out for 2020-12`,
  };
}

/** The standard allows an empty list, but then nothing ever fits: it can only be a mistake. */
function inspectChoices({ path, schema }: Subschema): DefinitionProblem[] {
  const isEmpty = Array.isArray(schema.enum) && schema.enum.length === 0;
  return isEmpty ? [{ path: `${path}/enum`, message: "the list of choices is empty, so that no value fits" }] : [];
}

/**
 * A pattern that cannot be checked is refused, unless a known format beside it
 * is: libraries write both for one rule (zod for `duration`), and then the
 * format alone decides.
 */
function inspectPattern({ path, schema: { pattern, format } }: Subschema): DefinitionProblem[] {
  if (typeof pattern !== "string" || isKnownFormat(format)) return [];
  const message = inspectRegExp(pattern);
  return message === undefined ? [] : [{ path: `${path}/pattern`, message }];
}

function inspectPatternProperties({ path, schema: { patternProperties } }: Subschema): DefinitionProblem[] {
  if (typeof patternProperties !== "object" || patternProperties === null) return [];
  return Object.keys(patternProperties).flatMap((pattern) => {
    const message = inspectRegExp(pattern);
    return message === undefined ? [] : [{ path: `${path}/patternProperties/${escapePointer(pattern)}`, message }];
  });
}
