import { isJsonObject, type JsonValue } from "@toolgate/core";
import { type JSONPathQuery, jsonpath } from "json-p3";
import { type Budget, spend } from "./budget.ts";
import { type Evaluation, passes } from "./filter.ts";

const { FilterSelector, IndexSelector, NameSelector, SliceSelector, WildcardSelector } = jsonpath.selectors;
type Selector = JSONPathQuery["segments"][number]["selectors"][number];

/**
 * The values that a query selects, in the order of RFC 9535.
 *
 * json-p3 parses queries; it does not evaluate them here, because its own way
 * of doing it has no bound on its work, overflows the stack on long arrays,
 * and compares no integers beyond 2^53.
 *
 * @throws ToolgateError RESULT_INVALID when the budget is spent.
 */
export function evaluate(query: JSONPathQuery, root: JsonValue, budget: Budget): readonly JsonValue[] {
  const on: Evaluation = { root, budget, evaluate: (inner, start) => evaluateFrom(inner, start, on) };
  return on.evaluate(query, root);
}

function evaluateFrom(query: JSONPathQuery, start: JsonValue, on: Evaluation): readonly JsonValue[] {
  let found: readonly JsonValue[] = [start];
  for (const segment of query.segments) {
    const next: JsonValue[] = [];
    for (const value of found) {
      const places = isDescendant(segment) ? withDescendants(value, on) : [value];
      for (const place of places) {
        for (const selector of segment.selectors) select(selector, place, { found: next, on });
      }
    }
    found = next;
  }
  return found;
}

// Its class has no public name.
const DescendantSegment = jsonpath.DEFAULT_ENVIRONMENT.compile("$..a").segments[0]?.constructor;

function isDescendant(segment: JSONPathQuery["segments"][number]): boolean {
  return segment.constructor === DescendantSegment;
}

/** A value and all below it, each before what it holds. Not recursive: values from inside may be deep. */
function* withDescendants(value: JsonValue, on: Evaluation): Generator<JsonValue> {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    spend(on.budget, 1);
    yield next;
    for (const child of childrenOf(next).toReversed()) waiting.push(child);
  }
}

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

interface Selection {
  readonly found: JsonValue[];
  readonly on: Evaluation;
}

function select(selector: Selector, value: JsonValue, to: Selection): void {
  spend(to.on.budget, 1);
  if (selector instanceof NameSelector) selectName(selector.name, value, to);
  else if (selector instanceof IndexSelector) selectIndex(selector.index, value, to);
  else if (selector instanceof SliceSelector) selectSlice(selector, value, to);
  else if (selector instanceof WildcardSelector) selectAll(value, to);
  else if (selector instanceof FilterSelector) selectWhere(selector.expression, value, to);
  else throw new TypeError("a selector that RFC 9535 does not have");
}

function selectName(name: string, value: JsonValue, { found }: Selection): void {
  if (isJsonObject(value) && Object.hasOwn(value, name)) found.push(value[name] as JsonValue);
}

function selectIndex(index: number, value: JsonValue, { found }: Selection): void {
  const item = Array.isArray(value) ? value.at(index) : undefined;
  if (item !== undefined) found.push(item);
}

function selectAll(value: JsonValue, { found, on }: Selection): void {
  for (const child of childrenOf(value)) {
    spend(on.budget, 1);
    found.push(child);
  }
}

function selectWhere(filter: Filter, value: JsonValue, { found, on }: Selection): void {
  for (const child of childrenOf(value)) {
    spend(on.budget, 1);
    if (passes(filter, child, on)) found.push(child);
  }
}

type Filter = InstanceType<typeof FilterSelector>["expression"];
type Slice = InstanceType<typeof SliceSelector>;

/** RFC 9535 section 2.3.4.2.2. */
function selectSlice({ start, stop, step = 1 }: Slice, items: JsonValue, { found, on }: Selection): void {
  if (!Array.isArray(items) || step === 0) return;
  const count = items.length;
  const fromStart = (index: number) => (index < 0 ? index + count : index);
  const within = (index: number, low: number, high: number) => Math.min(Math.max(fromStart(index), low), high);
  const take = (index: number) => {
    spend(on.budget, 1);
    found.push(items[index] as JsonValue);
  };
  if (step > 0) {
    const end = within(stop ?? count, 0, count);
    for (let i = within(start ?? 0, 0, count); i < end; i += step) take(i);
  } else {
    const end = stop === undefined ? -1 : within(stop, -1, count - 1);
    for (let i = within(start ?? count - 1, -1, count - 1); i > end; i += step) take(i);
  }
}
