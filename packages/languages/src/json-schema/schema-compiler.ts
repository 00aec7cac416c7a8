import {
  type DefinitionProblem,
  escapePointer,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type SchemaCompiler,
  type SchemaDocument,
  ToolgateError,
  type Violation,
} from "@toolgate/core";
import { LRUCache } from "lru-cache";
import { CompiledSchema } from "./compiled-schema.ts";
import { inspectForm } from "./inspect.ts";
import { quote } from "./references.ts";
import { subschemas } from "./walk.ts";

/** Compiled schemas take some 10 to 30 KB each; this many are kept. */
const DEFAULT_CACHED = 1_000;

/** @param options.cached how many compiled schemas are kept; 1,000 where unset */
export function createSchemaCompiler(options: { readonly cached?: number } = {}): SchemaCompiler {
  return new AjvSchemaCompiler(options.cached ?? DEFAULT_CACHED);
}

type Default = readonly [name: string, value: JsonValue];

/**
 * JSON Schema by ajv, each schema in its own dialect. Where the standard leaves
 * room, or people mean something else than it says:
 *
 * - formats that ajv-formats knows are checked, in every dialect; others are remarks
 * - patterns run on RE2; see `safeRegExp` for what that cannot do
 * - a pattern beyond RE2 beside a known format is not checked, the format is
 * - `nullable: true` beside `type` allows null, as in OpenAPI 3.0
 * - draft-06 is read as draft-07
 * - integers beyond 2^53 are compared as doubles
 * - a default that its own property refuses, or of a required property, is a remark, and fills in nothing
 */
class AjvSchemaCompiler implements SchemaCompiler {
  readonly #compiled: LRUCache<string, CompiledSchema>;
  readonly #defaults = new WeakMap<SchemaDocument, readonly Default[]>();

  constructor(cached: number) {
    this.#compiled = new LRUCache({ max: cached });
  }

  inspect(schema: SchemaDocument): readonly DefinitionProblem[] {
    const { problems, unsure } = inspectForm(schema);
    if (problems.length > 0 || !unsure) return problems;
    try {
      const compiled = new CompiledSchema(schema);
      // References that go round in a circle are only noticed when they are followed.
      for (const value of [{}, [], "", 0, null]) compiled.check(value);
      return [];
    } catch (error) {
      return [compileProblem(schema, error)];
    }
  }

  validate(schema: SchemaDocument, value: JsonValue): readonly Violation[] {
    try {
      return this.#compiledFor(schema).check(value);
    } catch (cause) {
      throw new ToolgateError("INTERNAL", "The gateway failed; its log says why under this call_id.", { cause });
    }
  }

  fillDefaults(schema: SchemaDocument, args: JsonObject): JsonObject {
    const missing = this.#defaultsOf(schema).filter(([name]) => !Object.hasOwn(args, name));
    if (missing.length === 0) return args;
    return { ...args, ...Object.fromEntries(missing.map(([name, value]) => [name, copyOf(value)])) };
  }

  #defaultsOf(schema: SchemaDocument): readonly Default[] {
    const known = this.#defaults.get(schema);
    if (known !== undefined) return known;
    const defaults = findDefaults(schema.value as JsonValue).filter((each) => this.#fits(schema, each));
    this.#defaults.set(schema, defaults);
    return defaults;
  }

  /** Whether a default is a value that a caller could send: many say null, or words such as "today", for "none". */
  #fits(schema: SchemaDocument, [name, value]: Default): boolean {
    const place = `/${escapePointer(name)}`;
    const violations = this.validate(schema, Object.fromEntries([[name, value]]));
    return !violations.some(({ path }) => path === place || path.startsWith(`${place}/`));
  }

  #compiledFor(schema: SchemaDocument): CompiledSchema {
    const known = this.#compiled.get(schema.text);
    if (known !== undefined) return known;
    const compiled = new CompiledSchema(schema);
    this.#compiled.set(schema.text, compiled);
    return compiled;
  }
}

/** Cloning costs microseconds, and most defaults have nothing inside to share. */
function copyOf(value: JsonValue): JsonValue {
  return typeof value === "object" ? structuredClone(value) : value;
}

function findDefaults(schema: JsonValue): readonly Default[] {
  const { properties, required }: JsonObject = isJsonObject(schema) ? schema : {};
  if (!isJsonObject(properties)) return [];
  const mustBeGiven = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).flatMap(([name, property]): Default[] =>
    isJsonObject(property) && property.default !== undefined && !mustBeGiven.has(name)
      ? [[name, property.default]]
      : [],
  );
}

function compileProblem({ value }: SchemaDocument, error: unknown): DefinitionProblem {
  const { missingRef } = error as { missingRef?: string };
  if (missingRef === undefined) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "it cannot be compiled";
    return { path: "", message: `the schema cannot be used: ${reason}` };
  }
  const message = `the reference ${quote(missingRef)} leads nowhere in the schema; nothing is ever fetched`;
  return { path: placeOf(value as JsonObject, missingRef), message };
}

/** Where a reference stands that was resolved against a base: it ends as it was written. */
function placeOf(root: JsonObject, missingRef: string): string {
  for (const { path, schema } of subschemas(root)) {
    for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const ref = schema[key];
      if (typeof ref === "string" && missingRef.endsWith(ref.replace(/#$/, ""))) return `${path}/${key}`;
    }
  }
  return "";
}
