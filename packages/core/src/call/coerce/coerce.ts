import { canonicalJson, type JsonObject, type JsonValue } from "../../json/json.ts";
import { escapePointer } from "../../json/pointer.ts";
import { anyMayFit, type Budget, isAllowed, mayFit, OutOfSteps } from "./may-fit.ts";
import { ANYTHING, type CoercionPlan, type Items, type Members } from "./plan.ts";
import { isContainer, readText } from "./read-text.ts";
import { ARRAY, OBJECT, typeOf } from "./types.ts";

/** One value that was changed: read as another, or, without `to`, left out. */
export interface Coercion {
  /** JSON Pointer (RFC 6901) into the arguments. */
  readonly path: string;
  readonly from: JsonValue;
  readonly to?: JsonValue;
}

export interface Coerced {
  /** The same object where nothing was changed. */
  readonly args: JsonObject;
  readonly changes: readonly Coercion[];
}

/** Values looked at in one call: some 50 ms at worst. */
const MAX_STEPS = 5_000_000;
/** What a reading uncovers is read by the next pass; that this many do not end it is not seen outside of tests. */
const MAX_PASSES = 8;

/**
 * Makes arguments fit where there is exactly one way to read them, and changes
 * nothing that may fit as it is: text that is JSON of a wanted type is read
 * (never where a text may stand), a scalar becomes the list of it, a null for
 * an optional property that takes none is left out. What still does not fit
 * is for validation to refuse. Coercing twice is coercing once.
 */
export function coerce(plan: CoercionPlan, args: JsonObject): Coerced {
  const budget = { steps: MAX_STEPS };
  try {
    if (mayFit(plan, args, budget)) return { args, changes: [] };
    return coerceAll(plan, args, budget);
  } catch (error) {
    if (error instanceof OutOfSteps) return { args, changes: [] };
    throw error;
  }
}

function coerceAll(plan: CoercionPlan, args: JsonObject, budget: Budget): Coerced {
  const walk: Walk = { budget, changes: [], wraps: true };
  let before = args;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const after = read(plan, { value: before, path: "", depth: 0 }, walk) as JsonObject;
    if (after === before) return { args: after, changes: walk.changes };
    before = after;
  }
  return { args, changes: [] };
}

interface Walk {
  readonly budget: Budget;
  readonly changes: Coercion[];
  /** Whether a scalar may become a list now. */
  wraps: boolean;
}

/** A value and where it is. */
interface Place {
  readonly value: JsonValue;
  readonly path: string;
  readonly depth: number;
}

/** The value as this plan wants it, or as it is. */
function read(plan: CoercionPlan, place: Place, walk: Walk): JsonValue {
  if (plan === ANYTHING) return place.value;
  let value = convert(plan, place, walk);
  const type = typeOf(value);
  if (type === OBJECT && plan.members !== undefined) {
    value = readMembers(plan.members, { ...place, value }, walk);
  }
  if (type === ARRAY && plan.items !== undefined) {
    value = readItems(plan.items, { ...place, value }, walk);
  }
  for (const part of plan.parts) value = read(part, { ...place, value }, walk);
  for (const branches of plan.choices) value = choose(branches, { ...place, value }, walk);
  return value;
}

function convert(plan: CoercionPlan, place: Place, walk: Walk): JsonValue {
  const { value, path, depth } = place;
  if (isAllowed(plan, value)) return value;
  const text = typeof value === "string" ? readText(value, plan.types, depth) : undefined;
  if (text !== undefined && isAllowed(plan, text)) {
    walk.changes.push({ path, from: value, to: text });
    return text;
  }
  return walk.wraps && (plan.types & ARRAY) !== 0 ? wrap(plan, place, walk) : value;
}

/** A list of one, if the value can be its item. A text that was meant to be JSON, and none at all, cannot. */
function wrap(plan: CoercionPlan, { value, path, depth }: Place, walk: Walk): JsonValue {
  if (value === null || typeof value === "object") return value;
  if (typeof value === "string" && (value.trim() === "" || isContainer(value.trim()))) return value;
  const itemPlan = plan.items?.first[0] ?? plan.items?.others ?? ANYTHING;
  // Its own changes are not told, the list is; and it makes no list itself, since a list of lists might never end.
  const item = read(itemPlan, { value, path, depth: depth + 1 }, { ...walk, changes: [], wraps: false });
  const list = [item];
  if (!isAllowed(plan, list) || !mayFit(itemPlan, item, walk.budget)) return value;
  walk.changes.push({ path, from: value, to: list });
  return list;
}

function readMembers({ properties, others, required }: Members, place: Place, walk: Walk): JsonObject {
  const object = place.value as JsonObject;
  const kept: [string, JsonValue][] = [];
  let isChanged = false;
  for (const [name, value] of Object.entries(object)) {
    const plan = properties.get(name) ?? others;
    const path = `${place.path}/${escapePointer(name)}`;
    const isOptional = properties.has(name) && !required.has(name);
    if (value === null && isOptional && !mayFit(plan, null, walk.budget)) {
      walk.changes.push({ path, from: null });
      isChanged = true;
      continue;
    }
    const wanted = read(plan, { value, path, depth: place.depth + 1 }, walk);
    isChanged ||= wanted !== value;
    kept.push([name, wanted]);
  }
  return isChanged ? Object.fromEntries(kept) : object;
}

function readItems({ first, others }: Items, { value, path, depth }: Place, walk: Walk): JsonValue[] {
  const items = value as JsonValue[];
  const wanted = items.map((item, i) =>
    read(first[i] ?? others, { value: item, path: `${path}/${i}`, depth: depth + 1 }, walk),
  );
  return wanted.some((item, i) => item !== items[i]) ? wanted : items;
}

/** What makes the value fit one of the branches, where all that do so agree. Lists of one only where nothing else does. */
function choose(branches: readonly CoercionPlan[], place: Place, walk: Walk): JsonValue {
  if (anyMayFit(branches, place.value, walk.budget)) return place.value;
  const mayWrap = walk.wraps;
  for (const wraps of mayWrap ? [false, true] : [false]) {
    walk.wraps = wraps;
    const found = readings(branches, place, walk);
    walk.wraps = mayWrap;
    const [only] = found.values();
    if (found.size > 1) return place.value;
    if (only === undefined) continue;
    walk.changes.push(...only.changes);
    return only.value;
  }
  return place.value;
}

interface Reading {
  readonly value: JsonValue;
  readonly changes: readonly Coercion[];
}

/** The different values that the branches make of this one, of those that may fit then. */
function readings(branches: readonly CoercionPlan[], place: Place, walk: Walk): ReadonlyMap<string, Reading> {
  const found = new Map<string, Reading>();
  const told = walk.changes.length;
  for (const branch of branches) {
    const value = read(branch, place, walk);
    const changes = walk.changes.splice(told);
    if (value === place.value || !mayFit(branch, value, walk.budget)) continue;
    const text = canonicalJson(value);
    if (!found.has(text)) found.set(text, { value, changes });
  }
  return found;
}
