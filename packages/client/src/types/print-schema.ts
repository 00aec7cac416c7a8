import type { JsonObject, JsonValue } from "../json.ts";
import { isObject, listOf, own, propertiesOf, resolveRef, stringsOf, typesOf } from "../schema/schema.ts";
import { type Aliases, meansItself } from "./aliases.ts";
import {
  docComment,
  intersectionOf,
  NEVER,
  NULL,
  quoted,
  simple,
  type TypeText,
  UNKNOWN,
  unionOf,
} from "./type-text.ts";

/** Where a type is written. */
export interface PrintPlace {
  readonly root: JsonValue;
  readonly aliases: Aliases;
  /** Arguments are written by hand: any integer may be a `bigint`, and `undefined` means left out. */
  readonly side: "args" | "result";
  /** The reference whose alias this is the type of. */
  readonly inside: string | undefined;
  readonly indent: string;
}

/** Inside an object or array an alias may mean itself. */
const nested = (place: PrintPlace): PrintPlace => ({ ...place, inside: undefined });

/**
 * The TypeScript type of a JSON Schema. Whatever fits the schema fits the
 * type; what the language cannot say (patterns, bounds, `not`, `if`) is left
 * to the gateway.
 */
export function printSchema(schema: JsonValue, place: PrintPlace): TypeText {
  if (schema === false) return NEVER;
  if (!isObject(schema)) return UNKNOWN;
  const print = (part: JsonValue) => printSchema(part, place);
  const choices = ["anyOf", "oneOf"].map((keyword) => listOf(own(schema, keyword)).map(print));
  const type = intersectionOf([
    printRef(schema, place),
    printOwn(schema, place),
    ...listOf(own(schema, "allOf")).map(print),
    ...choices.filter(({ length }) => length > 0).map(unionOf),
  ]);
  return own(schema, "nullable") === true ? unionOf([type, NULL]) : type;
}

function printRef(schema: JsonObject, { root, aliases, inside }: PrintPlace): TypeText {
  const ref = own(schema, "$ref");
  if (typeof ref !== "string" || resolveRef(root, ref) === undefined) return UNKNOWN;
  const isCircular = inside !== undefined && meansItself({ $ref: ref }, inside, root);
  return isCircular ? UNKNOWN : simple(aliases.nameOf(ref));
}

/** What a schema says without its combinators. */
function printOwn(schema: JsonObject, place: PrintPlace): TypeText {
  const constant = own(schema, "const");
  if (constant !== undefined) return literal(constant);
  const values = own(schema, "enum");
  if (Array.isArray(values)) return unionOf(values.map(literal));
  const types = typesOf(schema);
  if (types.length > 0) return unionOf(types.map((type) => printType(type, schema, place)));
  if (propertiesOf(schema).length > 0 || stringsOf(own(schema, "required")).length > 0) {
    return printObject(schema, place);
  }
  return own(schema, "prefixItems") === undefined ? UNKNOWN : printArray(schema, place);
}

function printType(type: string, schema: JsonObject, place: PrintPlace): TypeText {
  switch (type) {
    case "array":
      return printArray(schema, place);
    case "boolean":
    case "null":
    case "string":
      return simple(type);
    case "integer":
      return place.side === "args" || isLong(schema) ? unionOf([simple("number"), simple("bigint")]) : simple("number");
    case "number":
      return place.side === "args" ? unionOf([simple("number"), simple("bigint")]) : simple("number");
    case "object":
      return printObject(schema, place);
    default:
      return UNKNOWN;
  }
}

/** Whether integers beyond 2^53, which come as `bigint`, are to be expected. */
function isLong(schema: JsonObject): boolean {
  const format = own(schema, "format");
  return format === "int64" || format === "uint64" || typeof own(schema, "maximum") === "bigint";
}

function literal(value: JsonValue): TypeText {
  if (typeof value === "string") return simple(quoted(value));
  if (typeof value === "bigint") return simple(`${value}n`);
  return value === null || typeof value !== "object" ? simple(String(value)) : UNKNOWN;
}

function printArray(schema: JsonObject, place: PrintPlace): TypeText {
  const items = own(schema, "items");
  const tuple = Array.isArray(items) ? items : listOf(own(schema, "prefixItems"));
  const rest = Array.isArray(items) ? own(schema, "additionalItems") : items;
  const print = (part: JsonValue) => printSchema(part, nested(place)).text;
  if (tuple.length === 0) return simple(`Array<${rest === undefined ? UNKNOWN.text : print(rest)}>`);
  const least = Number(own(schema, "minItems") ?? 0);
  const members = tuple.map((part, at) => (at < least ? print(part) : `(${print(part)})?`));
  // Array<…> would be read at once here, and an alias inside could not mean itself.
  const others = rest === false ? [] : [`...(${rest === undefined ? UNKNOWN.text : print(rest)})[]`];
  return simple(`[${[...members, ...others].join(", ")}]`);
}

function printObject(schema: JsonObject, place: PrintPlace): TypeText {
  const inner = { ...nested(place), indent: `${place.indent}  ` };
  const required = stringsOf(own(schema, "required"));
  const properties = propertiesOf(schema);
  const known = new Set(properties.map(([name]) => name));
  const lines = properties.map(([name, part]) => printProperty(name, part, required.includes(name), inner));
  const others = [...new Set(required)].filter((name) => !known.has(name));
  lines.push(...others.map((name) => `${inner.indent}${quoted(name)}: unknown;\n`));
  const rest = printRest(schema, lines.length > 0, inner);
  if (rest !== undefined) lines.push(`${inner.indent}[key: string]: ${rest.text};\n`);
  return simple(`{\n${lines.join("")}${place.indent}}`);
}

function printProperty(name: string, schema: JsonValue, required: boolean, place: PrintPlace): string {
  const description = isObject(schema) ? (own(schema, "description") ?? own(schema, "title")) : undefined;
  const comment = typeof description === "string" ? docComment(description, place.indent) : "";
  const type = printSchema(schema, place);
  if (required) return `${comment}${place.indent}${quoted(name)}: ${type.text};\n`;
  const optional = place.side === "args" ? unionOf([type, simple("undefined")]) : type;
  return `${comment}${place.indent}${quoted(name)}?: ${optional.text};\n`;
}

/** The type of properties without a name; undefined where there are none, or where naming them is likely a mistake. */
function printRest(schema: JsonObject, hasKnown: boolean, place: PrintPlace): TypeText | undefined {
  const additional = own(schema, "additionalProperties");
  const hasPatterns = own(schema, "patternProperties") !== undefined;
  if (hasPatterns || additional === true) return UNKNOWN;
  if (additional === undefined) return hasKnown ? undefined : UNKNOWN;
  if (additional === false) return hasKnown ? undefined : NEVER;
  // An index signature must fit the named properties too.
  return hasKnown ? UNKNOWN : printSchema(additional, place);
}
