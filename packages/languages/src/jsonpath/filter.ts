import type { JsonValue } from "@toolgate/core";
import { type JSONPathQuery, jsonpath } from "json-p3";
import type { Budget } from "./budget.ts";
import { type Comparable, compare } from "./compare.ts";
import { callFunction } from "./functions.ts";

const { expressions } = jsonpath;
type Expression = InstanceType<typeof expressions.FilterExpression>;

/** What a query is asked about, and what it may still cost. */
export interface Evaluation {
  readonly root: JsonValue;
  readonly budget: Budget;
  /** What a query inside a filter selects below `start`. */
  evaluate(query: JSONPathQuery, start: JsonValue): readonly JsonValue[];
}

/** What a filter is asked about: one child, in one evaluation. */
interface Current extends Evaluation {
  readonly value: JsonValue;
}

/** Whether a child passes a filter; RFC 9535 section 2.3.5. */
export function passes(filter: Expression, value: JsonValue, on: Evaluation): boolean {
  return isTrue(filter, { ...on, value });
}

function isTrue(expression: Expression, current: Current): boolean {
  if (expression instanceof expressions.LogicalExpression) return isTrue(expression.expression, current);
  if (expression instanceof expressions.PrefixExpression) return !isTrue(expression.right, current);
  if (expression instanceof expressions.InfixExpression) return isInfixTrue(expression, current);
  if (expression instanceof expressions.FilterQuery) return nodesOf(expression, current).length > 0;
  if (expression instanceof expressions.FunctionExtension) {
    const result = callOf(expression, current);
    return typeof result === "boolean" ? result : Array.isArray(result) && result.length > 0;
  }
  throw new TypeError("an expression that RFC 9535 does not have");
}

type Infix = InstanceType<typeof expressions.InfixExpression>;

function isInfixTrue({ left, operator, right }: Infix, current: Current): boolean {
  if (operator === "&&") return isTrue(left, current) && isTrue(right, current);
  if (operator === "||") return isTrue(left, current) || isTrue(right, current);
  return compare(comparableOf(left, current), operator, comparableOf(right, current), current.budget);
}

/** The value of a comparable: of a literal, a singular query, or a function. */
function comparableOf(expression: Expression, current: Current): Comparable {
  if (expression instanceof expressions.NumberLiteral) return exactNumber(expression.token.value, expression.value);
  if (expression instanceof expressions.StringLiteral) return expression.value;
  if (expression instanceof expressions.BooleanLiteral) return expression.value;
  if (expression instanceof expressions.NullLiteral) return null;
  if (expression instanceof expressions.FilterQuery) return nodesOf(expression, current)[0];
  if (expression instanceof expressions.FunctionExtension) return callOf(expression, current) as Comparable;
  throw new TypeError("a value that RFC 9535 does not have");
}

/** Every digit of an integer that a double does not hold. */
function exactNumber(text: string, value: number): number | bigint {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

function nodesOf(query: InstanceType<typeof expressions.FilterQuery>, current: Current): readonly JsonValue[] {
  const isRelative = query instanceof expressions.RelativeQuery;
  return current.evaluate(query.path, isRelative ? current.value : current.root);
}

function callOf({ name, args }: InstanceType<typeof expressions.FunctionExtension>, current: Current): unknown {
  return callFunction(name, {
    budget: current.budget,
    nodes: (i) => nodesOf(args[i] as InstanceType<typeof expressions.FilterQuery>, current),
    value: (i) => comparableOf(args[i] as Expression, current),
  });
}
