import {
  type DefinitionProblem,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  replaceBigInts,
  type SchemaCompiler,
  type SchemaDocument,
  ToolgateError,
} from "@toolgate/core";
import type { ValidateFunction } from "ajv";
import { LRUCache } from "lru-cache";
import { createOwnValidator, createValidator, type Dialect, dialectOf, type Validator } from "./dialects.ts";
import { inspectForm } from "./inspect.ts";
import { toViolations } from "./violations.ts";

/** Compiled schemas take some 20 KB each; this many are kept. */
const DEFAULT_CACHED = 1_000;

/** @param options.cached how many compiled schemas are kept; 1,000 where unset */
export function createSchemaCompiler(options: { readonly cached?: number } = {}): SchemaCompiler {
  return new AjvSchemaCompiler(options.cached ?? DEFAULT_CACHED);
}

interface Compiled {
  readonly validate: ValidateFunction;
  /** Makes ajv forget it, too. */
  forget(): void;
}

class AjvSchemaCompiler implements SchemaCompiler {
  readonly #validators = new Map<Dialect, Validator>();
  readonly #compiled: LRUCache<string, Compiled>;

  constructor(cached: number) {
    this.#compiled = new LRUCache({ max: cached, dispose: (compiled) => compiled.forget() });
  }

  inspect(schema: SchemaDocument): readonly DefinitionProblem[] {
    const { problems, unsure } = inspectForm(schema);
    if (problems.length > 0 || !unsure) return problems;
    try {
      const compiled = this.#compile(schema);
      // References that go round in a circle are only noticed when they are followed.
      compiled.validate({});
      compiled.forget();
      return [];
    } catch (error) {
      return [{ path: "", message: compileProblem(error) }];
    }
  }

  validate(schema: SchemaDocument, value: JsonValue) {
    const { validate } = this.#compiledFor(schema);
    // The schema languages know doubles only; comparing with one is near enough to check a type or a bound.
    const plain = replaceBigInts(value, Number);
    return validate(plain) ? [] : toViolations(validate.errors ?? []);
  }

  fillDefaults({ value: schema }: SchemaDocument, args: JsonObject): JsonObject {
    const properties = isJsonObject(schema as JsonValue) ? (schema as JsonObject).properties : undefined;
    if (!isJsonObject(properties)) return args;
    const missing = Object.entries(properties).filter(
      ([name, property]) => isJsonObject(property) && property.default !== undefined && !Object.hasOwn(args, name),
    );
    if (missing.length === 0) return args;
    const defaults = missing.map(([name, property]) => [name, structuredClone((property as JsonObject).default)]);
    return { ...args, ...Object.fromEntries(defaults) };
  }

  #compiledFor(schema: SchemaDocument): Compiled {
    const known = this.#compiled.get(schema.text);
    if (known !== undefined) return known;
    try {
      const compiled = this.#compile(schema);
      this.#compiled.set(schema.text, compiled);
      return compiled;
    } catch (cause) {
      throw new ToolgateError("INTERNAL", "The gateway failed; its log says why under this call_id.", { cause });
    }
  }

  #compile({ value }: SchemaDocument): Compiled {
    const schema = value as JsonObject;
    const dialect = dialectOf(value) as Dialect;
    const hasNames = JSON.stringify(value).includes('"$id"');
    const validator = hasNames ? createOwnValidator(dialect) : this.#validatorFor(dialect);
    const validate = validator.compile(schema);
    return { validate, forget: () => void (typeof schema === "object" && validator.removeSchema(schema)) };
  }

  #validatorFor(dialect: Dialect): Validator {
    const validator = this.#validators.get(dialect) ?? createValidator(dialect);
    this.#validators.set(dialect, validator);
    return validator;
  }
}

function compileProblem(error: unknown): string {
  const { missingRef } = error as { missingRef?: string };
  if (missingRef !== undefined) {
    return `the reference ${JSON.stringify(missingRef.slice(0, 120))} leads nowhere in the schema; nothing is ever fetched`;
  }
  return `the schema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
}
