import { type DefinitionProblem, isJsonObject, type JsonObject, targetOf } from "@toolgate/core";
import { children, inPlace, type Subschema, subschemas } from "./walk.ts";

const META_SCHEMA = /^https?:\/\/json-schema\.org\//;
/** Schemas that are applied to one value one after the other. */
const MAX_CHAIN = 500;
/** References inside of what references lead to: some hundreds are more than ajv can compile. */
const DEEP_REFERENCES = 100;
const NAMES = /"(?:\$|\\u0024)(?:id|anchor|dynamicAnchor|dynamicRef|recursiveRef|recursiveAnchor)"/g;

/**
 * Whether only compiling a schema can tell what its references mean: parts of
 * it have names of their own, or they lead to a meta-schema. A lone `$id` at
 * the root changes nothing for references that begin with `#`.
 */
export function needsCompiling(root: JsonObject, text: string, places: readonly Subschema[]): boolean {
  const names = text.match(NAMES)?.length ?? 0;
  const ownName = typeof root.$id === "string" ? 1 : 0;
  if (names > ownName) return true;
  const references = places.filter(({ schema }) => typeof schema.$ref === "string");
  if (references.some(({ schema }) => isOutward(schema.$ref, ownName === 1))) return true;
  return references.length > DEEP_REFERENCES && nesting(root) > DEEP_REFERENCES;
}

/** How deeply references are nested, when each target is visited once, where it is first met. */
function nesting(root: JsonObject): number {
  let deepest = 0;
  const seen = new Set<JsonObject>();
  const waiting = [{ schema: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema, depth } = next;
    if (seen.has(schema)) continue;
    seen.add(schema);
    deepest = Math.max(deepest, depth);
    const target = typeof schema.$ref === "string" ? targetOf(root, schema.$ref)?.value : undefined;
    for (const child of children({ path: "", schema }).toReversed()) waiting.push({ schema: child.schema, depth });
    if (isJsonObject(target)) waiting.push({ schema: target, depth: depth + 1 });
  }
  return deepest;
}

/** Whether ajv must know the meta-schemas to compile this. */
export function refersToMetaSchema(root: JsonObject): boolean {
  return subschemas(root).some(({ schema }) => {
    const { $ref, $id, $dynamicRef } = schema;
    return [$ref, $id, $dynamicRef].some((uri) => typeof uri === "string" && META_SCHEMA.test(uri));
  });
}

function isOutward(ref: unknown, hasOwnName: boolean): boolean {
  return typeof ref === "string" && !ref.startsWith("#") && (hasOwnName || META_SCHEMA.test(ref));
}

/** References that lead nowhere, or out of the schema: nothing is ever fetched. */
export function inspectReference({ path, schema: { $ref: ref } }: Subschema, root: JsonObject): DefinitionProblem[] {
  if (typeof ref !== "string") return [];
  const problem = (what: string) => [{ path: `${path}/$ref`, message: `the reference ${quote(ref)} ${what}` }];
  if (!ref.startsWith("#")) return problem("leads out of the schema; nothing is ever fetched");
  const target = targetOf(root, ref);
  if (target === undefined) return problem("leads nowhere in the schema");
  if (typeof target.value === "boolean" || isJsonObject(target.value)) return [];
  return problem("leads to something that is not a schema");
}

/**
 * Dynamic references that ajv cannot follow: it would take them for references
 * to the whole schema.
 */
export function inspectDynamicReferences(places: readonly Subschema[]): DefinitionProblem[] {
  const anchors = new Set(places.map(({ schema }) => `#${schema.$dynamicAnchor}`)).add("#");
  return places.flatMap(({ path, schema: { $dynamicRef: ref } }) => {
    if (typeof ref !== "string" || anchors.has(ref)) return [];
    const message = `the reference ${quote(ref)} leads to no $dynamicAnchor in the schema, which is all that is supported`;
    return [{ path: `${path}/$dynamicRef`, message }];
  });
}

/**
 * A schema that is applied to a value in order to be applied to that very
 * value can never be checked (JSON Schema Core 2020-12, section 9.4.1).
 */
export function inspectCircles(root: JsonObject, places: readonly Subschema[]): DefinitionProblem[] {
  const state = new Map<JsonObject, "open" | "done">();
  const goesRound = (schema: JsonObject, depth: number): boolean => {
    const known = state.get(schema);
    if (known !== undefined) return known === "open";
    if (depth > MAX_CHAIN) return true;
    state.set(schema, "open");
    const circular = inPlace(root, schema).some((next) => goesRound(next, depth + 1));
    state.set(schema, "done");
    return circular;
  };
  const start = places.find(({ schema }) => typeof schema.$ref === "string" && goesRound(schema, 0));
  if (start === undefined) return [];
  const message = `the reference ${quote(String(start.schema.$ref))} goes round in a circle, or through more than ${MAX_CHAIN} schemas`;
  return [{ path: `${start.path}/$ref`, message }];
}

export function quote(ref: string): string {
  return JSON.stringify(ref.slice(0, 120));
}
