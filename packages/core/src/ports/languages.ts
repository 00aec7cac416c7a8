import type { Violation } from "../errors/toolgate-error.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import type { SchemaDocument } from "../tool/tool.ts";
import type { DefinitionProblem } from "./backend.ts";

/** Checks values by JSON Schema, each schema in its own dialect. Fetches nothing. */
export interface SchemaCompiler {
  /** What is wrong with the schema itself; empty when it can be used. Never throws. */
  inspect(schema: SchemaDocument): readonly DefinitionProblem[];
  /**
   * Every violation, at most 50 (of a very large value only the first); empty
   * when the value fits. Throws INTERNAL for a schema that `inspect` refuses.
   */
  validate(schema: SchemaDocument, value: JsonValue): readonly Violation[];
  /**
   * The arguments with the defaults of absent top-level properties filled in; the same object where there are none.
   * A default of a required property, or one that does not fit its own property, is left out.
   */
  fillDefaults(schema: SchemaDocument, args: JsonObject): JsonObject;
}

/** Picks parts of a value by JSONPath (RFC 9535). */
export interface PathLanguage {
  /** What is wrong with the path; `undefined` when it can be used. Never throws. */
  inspect(path: string): string | undefined;
  /**
   * The single value for a singular query, else the list of what was found;
   * `undefined` where a singular query finds nothing. Throws RESULT_INVALID
   * when the path would look at too many values.
   */
  select(path: string, value: JsonValue): JsonValue | undefined;
}
