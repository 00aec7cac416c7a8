import { type JsonObject, type JsonValue, replaceBigInts, type SchemaDocument, type Violation } from "@toolgate/core";
import type { AnySchema, ValidateFunction } from "ajv";
import { describeValue } from "./describe.ts";
import { type Dialect, dialectOf } from "./dialects.ts";
import { prepare, toDouble } from "./prepare.ts";
import { refersToMetaSchema } from "./references.ts";
import { type Budget, createValidator, OutOfSteps } from "./validator.ts";
import { toViolations } from "./violations.ts";

/** References followed in one check: seconds at worst. Nested choices could multiply them without end. */
const MAX_STEPS = 5_000_000;
/** A larger value is told its first violation only: all of them could fill the memory. */
const MAX_EXPLAINED_VALUES = 10_000;

/** One schema, ready to check values. */
export class CompiledSchema {
  readonly #schema: JsonObject | boolean;
  readonly #mentionsMeta: boolean;
  readonly #dialect: Dialect;
  readonly #budget: Budget = { steps: 0 };
  readonly #all: ValidateFunction;
  /** Stops at the first violation. Compiled when the first large value comes. */
  #first: ValidateFunction | undefined;

  /** @throws what ajv throws, where the schema cannot be used. */
  constructor({ text, value }: SchemaDocument) {
    this.#schema = typeof value === "boolean" ? value : prepare(value, text);
    this.#mentionsMeta = typeof value !== "boolean" && refersToMetaSchema(value);
    this.#dialect = dialectOf(value) as Dialect;
    this.#all = this.#compile(true);
  }

  /** Every violation, at most 50. */
  check(value: JsonValue): readonly Violation[] {
    // ajv knows only doubles; comparing with one is near enough to check a type or a bound.
    const plain = replaceBigInts(value, toDouble);
    const validate = isLargerThan(plain, MAX_EXPLAINED_VALUES) ? this.#stopping() : this.#all;
    this.#budget.steps = MAX_STEPS;
    try {
      if (validate(plain)) return [];
    } catch (error) {
      if (!(error instanceof OutOfSteps)) throw error;
      const expected = `a value that can be checked by following at most ${MAX_STEPS} references`;
      return [{ path: "", expected, got: describeValue(value) }];
    }
    const errors = validate.errors ?? [];
    // The compiled function stays; what it found need not.
    validate.errors = null;
    return toViolations(errors, { schema: this.#schema, value });
  }

  #stopping(): ValidateFunction {
    this.#first ??= this.#compile(false);
    return this.#first;
  }

  #compile(allErrors: boolean): ValidateFunction {
    const options = { dialect: this.#dialect, allErrors, meta: this.#mentionsMeta, budget: this.#budget };
    return createValidator(options).compile(this.#schema as AnySchema);
  }
}

function isLargerThan(value: JsonValue, limit: number): boolean {
  let left = limit;
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (--left < 0) return true;
    if (typeof next !== "object" || next === null) continue;
    for (const item of Array.isArray(next) ? next : Object.values(next)) {
      if (waiting.length > limit) return true;
      waiting.push(item);
    }
  }
  return false;
}
