import { isJsonObject, type JsonValue } from "@toolgate/core";
import { type Budget, spend } from "./budget.ts";

/** What a comparison is about: a value, or `undefined` for RFC 9535's Nothing. */
export type Comparable = JsonValue | undefined;

/** RFC 9535 section 2.3.5.2.2. Integers of any size are compared exactly. */
export function compare(left: Comparable, operator: string, right: Comparable, budget: Budget): boolean {
  switch (operator) {
    case "==":
      return isEqual(left, right, budget);
    case "!=":
      return !isEqual(left, right, budget);
    case "<":
      return isLess(left, right);
    case ">":
      return isLess(right, left);
    case "<=":
      return isLess(left, right) || isEqual(left, right, budget);
    case ">=":
      return isLess(right, left) || isEqual(left, right, budget);
    default:
      throw new TypeError("an operator that RFC 9535 does not have");
  }
}

function isNumeric(value: Comparable): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isLess(left: Comparable, right: Comparable): boolean {
  if (isNumeric(left) && isNumeric(right)) return left < right;
  if (typeof left === "string" && typeof right === "string") return isTextLess(left, right);
  return false;
}

/** By Unicode scalar values; by UTF-16 code units, characters beyond the basic plane would come too early. */
function isTextLess(left: string, right: string): boolean {
  let i = 0;
  while (i < left.length && left[i] === right[i]) i += 1;
  const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)];
  const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
  if (Number.isNaN(a) || Number.isNaN(b)) return left.length < right.length;
  return isSurrogate(a) === isSurrogate(b) ? a < b : isSurrogate(b);
}

function isEqual(left: Comparable, right: Comparable, budget: Budget): boolean {
  spend(budget, 1);
  if (left === right) return true;
  // A bigint and a double are equal only for `==`.
  // biome-ignore lint/suspicious/noDoubleEquals: both are numbers
  if (isNumeric(left) && isNumeric(right)) return left == right;
  if (Array.isArray(left)) {
    const same = Array.isArray(right) && left.length === right.length;
    return same && left.every((item, i) => isEqual(item, right[i], budget));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name], budget))
  );
}
