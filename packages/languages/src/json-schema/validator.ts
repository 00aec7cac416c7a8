import { canonicalJson, type JsonValue } from "@toolgate/core";
import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { safeRegExp } from "../patterns/safe-regexp.ts";
import type { Dialect } from "./dialects.ts";

/** ajv, whichever dialect it was made for. */
export type Validator = Ajv;

/** Set by us on every schema with a reference: following one costs a step. */
export const STEP = "x-toolgate-step";

/** What is left for one check. */
export interface Budget {
  steps: number;
}

/** Thrown when a check has no steps left. */
export class OutOfSteps extends Error {}

export interface ValidatorOptions {
  readonly dialect: Dialect;
  /** Every violation, or only the first. */
  readonly allErrors: boolean;
  /** Whether the schema refers to a meta-schema. */
  readonly meta: boolean;
  readonly budget: Budget;
}

// Not `new RegExp`: a pattern of a tool owner must not be able to hang the gateway.
const regExp = Object.assign((pattern: string) => safeRegExp(pattern), { code: "safeRegExp" });

// The package's types describe its CommonJS form.
const addFormats = addFormatsModule as unknown as (ajv: Validator) => void;

/**
 * A validator for one schema alone: ajv never forgets what it has compiled,
 * and schemas of two tools in one instance could meet by `$id`.
 */
export function createValidator({ dialect, allErrors, meta, budget }: ValidatorOptions): Validator {
  const ajv = construct(dialect, {
    strict: false,
    allErrors,
    meta,
    verbose: true,
    logger: false,
    // What an object inherits is not a property of a document.
    ownProperties: true,
    // Schemas are inspected when they are registered.
    validateSchema: false,
    // A large definition that is used often would be written out as often.
    inlineRefs: false,
    code: { regExp },
  });
  addFormats(ajv);
  // ajv refuses it; for us it is a keyword like any other that is unknown.
  ajv.removeKeyword("id");
  replaceUniqueItems(ajv);
  ajv.addKeyword({
    keyword: STEP,
    before: "$ref",
    errors: false,
    validate: () => {
      budget.steps -= 1;
      if (budget.steps < 0) throw new OutOfSteps();
      return true;
    },
  });
  return ajv;
}

function construct(dialect: Dialect, options: Options): Validator {
  switch (dialect) {
    case "draft-07":
      return new Ajv(options);
    case "2019-09":
      return new Ajv2019(options) as unknown as Validator;
    case "2020-12":
      return new Ajv2020(options) as unknown as Validator;
  }
}

/** ajv's own compares every item with every other, which takes minutes for a long list of objects. */
function replaceUniqueItems(ajv: Validator): void {
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    errors: false,
    validate: (unique: boolean, items: JsonValue[]) => !unique || equalItems(items) === undefined,
  });
}

/** The places of the first two equal items. */
export function equalItems(items: readonly JsonValue[]): readonly [number, number] | undefined {
  const seen = new Map<JsonValue, number>();
  for (const [i, item] of items.entries()) {
    // The text of an object cannot be taken for a string: that has its quotes.
    const key = typeof item === "object" || typeof item === "string" ? canonicalJson(item) : item;
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, i];
    seen.set(key, i);
  }
  return undefined;
}
