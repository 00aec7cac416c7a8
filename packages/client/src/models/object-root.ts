import type { JsonObject, JsonValue } from "../json.ts";
import { stringifyJson } from "../json.ts";
import { isObject, listOf, own, propertiesOf, resolveRef, stringsOf, without } from "../schema/schema.ts";

/** What no provider takes at the root of a tool's schema, and `$ref`, which would hide the root. */
const COMBINATORS = ["$ref", "allOf", "anyOf", "const", "enum", "not", "oneOf"];
/** A schema whose combinators are more than this is not merged any further: parts that share parts can be endless. */
const MAX_PARTS = 1_000;
/** References that lead to references are not followed any further than this. */
const MAX_REFS = 32;

/**
 * The schema of an object with no combinator at its root. What was in
 * combinators is merged: properties of all branches, of which those are
 * required that every branch of a choice requires. It may accept more than the
 * real schema, which the gateway still checks; it refuses nothing that the
 * real one accepts, but for properties that only some branches describe: those
 * are as they are described there. The choice is told in the description. A
 * schema that needs nothing of this comes back as it is.
 */
export function objectRoot(schema: JsonValue): JsonObject {
  const root = isObject(schema) ? schema : {};
  const isPlain = COMBINATORS.every((keyword) => own(root, keyword) === undefined);
  if (isPlain) return own(root, "type") === "object" && isObject(own(root, "properties")) ? root : typed(root);
  const base = withRefs(root, { root, refs: [] }).schema;
  const fields = fieldsOf(base, root);
  const merged: JsonObject = { ...without(base, COMBINATORS), properties: schemasOf(fields) };
  if (fields.required.size > 0) merged.required = [...fields.required];
  const description = [own(base, "description"), ...fields.choices].filter((text) => typeof text === "string");
  if (description.length > 0) merged.description = description.join(" ");
  return typed(merged);
}

function typed(schema: JsonObject): JsonObject {
  const properties = own(schema, "properties");
  return { ...schema, type: "object", properties: isObject(properties) ? properties : {} };
}

/** Where a reading of a schema stands. */
interface Place {
  readonly root: JsonObject;
  /** References that led here; one of them again would never end. */
  readonly refs: readonly string[];
}

/** What a `$ref` points to, under what stands beside it. */
function withRefs(schema: JsonObject, place: Place): { readonly schema: JsonObject; readonly place: Place } {
  const ref = own(schema, "$ref");
  if (typeof ref !== "string" || place.refs.includes(ref) || place.refs.length >= MAX_REFS) return { schema, place };
  const target = resolveRef(place.root, ref);
  const inside = { ...place, refs: [...place.refs, ref] };
  return isObject(target) ? withRefs({ ...target, ...without(schema, ["$ref"]) }, inside) : { schema, place };
}

/** What an object may and must hold. */
export interface Fields {
  readonly properties: ReadonlyMap<string, Field>;
  readonly required: ReadonlySet<string>;
  /** Sentences about what is to be chosen. */
  readonly choices: readonly string[];
}

interface Field {
  readonly schema: JsonValue;
  /** Whether it holds always, or only in some branches of a choice. */
  readonly always: boolean;
}

export function schemasOf({ properties }: Fields): Record<string, JsonValue> {
  return Object.fromEntries([...properties].map(([name, { schema }]) => [name, schema]));
}

/** The fields of a schema and of all its combinators. */
export function fieldsOf(schema: JsonValue, root: JsonObject): Fields {
  return collected(schema, { root, refs: [] }, { parts: 0 });
}

function collected(value: JsonValue, from: Place, size: { parts: number }): Fields {
  size.parts += 1;
  if (!isObject(value) || size.parts > MAX_PARTS) return { properties: new Map(), required: new Set(), choices: [] };
  const { schema, place } = withRefs(value, from);
  const inner = (part: JsonValue) => collected(part, place, size);
  const all = listOf(own(schema, "allOf")).map(inner);
  const choices = ["anyOf", "oneOf"].map((keyword) => listOf(own(schema, keyword)).map(inner));
  const branches =
    own(schema, "if") === undefined ? [] : ["then", "else"].map((keyword) => own(schema, keyword) ?? true);
  const either = [...choices, branches.map(inner)].filter(({ length }) => length > 0).map(eitherOf);
  const properties = new Map(propertiesOf(schema).map(([name, part]) => [name, { schema: part, always: true }]));
  const required = new Set(stringsOf(own(schema, "required")));
  return [...all, ...either].reduce(bothOf, { properties, required, choices: [] });
}

function bothOf(a: Fields, b: Fields): Fields {
  const properties = new Map(a.properties);
  for (const [name, field] of b.properties) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? field : bothFields(known, field));
  }
  const required = new Set([...a.required, ...b.required]);
  return { properties, required, choices: [...a.choices, ...b.choices] };
}

/** What holds only sometimes must not narrow what holds always. */
function bothFields(a: Field, b: Field): Field {
  if (a.always !== b.always) return a.always ? a : b;
  return { always: a.always, schema: a.always ? both(a.schema, b.schema) : either([a.schema, b.schema]) };
}

function both(a: JsonValue, b: JsonValue): JsonValue {
  if (!isObject(a) || stringifyJson(a) === stringifyJson(b)) return b === true ? a : b;
  if (!isObject(b)) return a;
  const clash = Object.keys(b).some((keyword) => Object.hasOwn(a, keyword));
  return clash ? { allOf: [a, b] } : { ...a, ...b };
}

function eitherOf(branches: readonly Fields[]): Fields {
  const names = new Set(branches.flatMap(({ properties }) => [...properties.keys()]));
  const properties = new Map<string, Field>();
  for (const name of names) {
    const fields = branches.flatMap((branch) => branch.properties.get(name) ?? []);
    const always = fields.length === branches.length && fields.every((field) => field.always);
    properties.set(name, { always, schema: either(fields.map(({ schema }) => schema)) });
  }
  const [first, ...others] = branches.map((branch) => [...branch.required]);
  const required = new Set(first?.filter((name) => others.every((names) => names.includes(name))));
  const choices = [...branches.flatMap((branch) => branch.choices), ...choiceOf(branches)];
  return { properties, required, choices };
}

/** What is to be chosen, where each branch requires something and not all the same. */
function choiceOf(branches: readonly Fields[]): readonly string[] {
  const sets = branches.map(({ required }) => [...required].join(", "));
  if (sets.length < 2 || sets.includes("") || new Set(sets).size < 2) return [];
  return [`Needs one of these sets of arguments: ${sets.join("; or ")}.`];
}

function either(schemas: readonly JsonValue[]): JsonValue {
  const distinct = [...new Map(schemas.map((schema) => [stringifyJson(schema), schema])).values()];
  if (distinct.length === 1) return distinct[0] as JsonValue;
  const values = distinct.map((schema) => (isObject(schema) ? own(schema, "const") : undefined));
  return values.includes(undefined) ? { anyOf: distinct } : { enum: values as JsonValue[] };
}
