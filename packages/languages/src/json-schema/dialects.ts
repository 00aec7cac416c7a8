import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { safeRegExp } from "../safe-regexp.ts";

/** ajv, whichever dialect it was made for. */
export type Validator = Ajv;

export type Dialect = "draft-07" | "2019-09" | "2020-12";

export const DEFAULT_DIALECT: Dialect = "2020-12";
export const DIALECTS: readonly Dialect[] = ["draft-07", "2019-09", "2020-12"];

const BY_URI: Readonly<Record<string, Dialect>> = {
  "json-schema.org/draft-07/schema": "draft-07",
  "json-schema.org/draft/2019-09/schema": "2019-09",
  "json-schema.org/draft/2020-12/schema": "2020-12",
};

/** The dialect that `$schema` names; none means 2020-12 (MCP 2025-11-25 says the same). */
export function dialectOf(schema: unknown): Dialect | undefined {
  const named = typeof schema === "object" && schema !== null ? (schema as { $schema?: unknown }).$schema : undefined;
  if (named === undefined) return DEFAULT_DIALECT;
  if (typeof named !== "string") return undefined;
  const uri = named.replace(/^https?:\/\//, "").replace(/#$/, "");
  return Object.hasOwn(BY_URI, uri) ? BY_URI[uri] : undefined;
}

// Not `new RegExp`: a pattern of a tool owner must not be able to hang the gateway.
const regExp = Object.assign((pattern: string) => safeRegExp(pattern), { code: "safeRegExp" });

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // What an object inherits is not a property of a document.
  ownProperties: true,
  // Schemas are inspected when they are registered.
  validateSchema: false,
  addUsedSchema: false,
  code: { regExp },
};

// The package's types describe its CommonJS form.
const addFormats = addFormatsModule as unknown as (ajv: Validator) => void;

/** A validator for many schemas. It keeps no names of theirs, so two tools cannot meet in one. */
export function createValidator(dialect: Dialect): Validator {
  return construct(dialect, OPTIONS);
}

/** A validator for one schema, whose parts may refer to each other by `$id`. */
export function createOwnValidator(dialect: Dialect): Validator {
  return construct(dialect, { ...OPTIONS, addUsedSchema: true });
}

function construct(dialect: Dialect, options: Options): Validator {
  const ajv = create(dialect, options);
  addFormats(ajv);
  return ajv;
}

function create(dialect: Dialect, options: Options): Validator {
  switch (dialect) {
    case "draft-07":
      return new Ajv(options);
    case "2019-09":
      return new Ajv2019(options) as unknown as Validator;
    case "2020-12":
      return new Ajv2020(options) as unknown as Validator;
  }
}
