import { isJsonObject, type JsonObject, type JsonValue, replaceBigInts } from "@toolgate/core";
import { inspectRegExp } from "../patterns/safe-regexp.ts";
import { isKnownFormat } from "./formats.ts";
import { needsCompiling } from "./references.ts";
import { STEP } from "./validator.ts";
import { subschemas } from "./walk.ts";

/**
 * A copy of a schema in which ajv reads everything as JSON Schema says it.
 * The schema itself is passed on as it was given.
 */
export function prepare(schema: JsonObject, text: string): JsonObject {
  const root = structuredClone(replaceBigInts(schema, toDouble)) as JsonObject;
  const places = subschemas(root);
  // Without other names the root's own does nothing, and need not be a valid one.
  if (!needsCompiling(root, text, places)) delete root.$id;
  for (const { schema: place } of places) {
    // To ajv these say that checking is asynchronous; to JSON Schema they say nothing.
    delete place.$async;
    settleNullable(place);
    settleInheritedName(place);
    settlePattern(place);
    if (["$ref", "$dynamicRef", "$recursiveRef"].some((key) => typeof place[key] === "string")) place[STEP] = true;
  }
  return root;
}

/** The nearest double; the largest one for what is beyond. */
export function toDouble(digits: bigint): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(digits)));
}

/** OpenAPI 3.0 lets `nullable: true` add null to `type`; without a type it means nothing. */
function settleNullable(place: JsonObject): void {
  const allowsNull = place.nullable === true && (typeof place.type === "string" || Array.isArray(place.type));
  if (!allowsNull) delete place.nullable;
}

const INHERITED_NAME = "__proto__";

/** ajv passes over a property of this name, but not over a pattern for it. */
function settleInheritedName(place: JsonObject): void {
  const { properties } = place;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, INHERITED_NAME)) return;
  const patterns = isJsonObject(place.patternProperties) ? place.patternProperties : {};
  place.patternProperties = { ...patterns, "^__proto__$": properties[INHERITED_NAME] as JsonValue };
}

/** A pattern beyond RE2 is only accepted beside a format that says the same: see `inspectPatterns`. */
function settlePattern(place: JsonObject): void {
  const { pattern, format } = place;
  if (typeof pattern !== "string" || !isKnownFormat(format)) return;
  if (inspectRegExp(pattern) !== undefined) delete place.pattern;
}
