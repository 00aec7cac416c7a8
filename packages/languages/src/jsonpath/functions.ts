import { isJsonObject, type JsonValue } from "@toolgate/core";
import { type Budget, spend } from "./budget.ts";
import type { Comparable } from "./compare.ts";
import { matches, searches } from "./i-regexp.ts";

/** The functions of RFC 9535 section 2.4, and no others. */
export const FUNCTIONS: ReadonlySet<string> = new Set(["count", "length", "match", "search", "value"]);

/** How a function reads its arguments. */
export interface Arguments {
  readonly budget: Budget;
  nodes(index: number): readonly JsonValue[];
  value(index: number): Comparable;
}

export function callFunction(name: string, args: Arguments): unknown {
  switch (name) {
    case "count":
      return args.nodes(0).length;
    case "length":
      return lengthOf(args);
    case "match":
      return onText(args, matches);
    case "search":
      return onText(args, searches);
    case "value": {
      const nodes = args.nodes(0);
      return nodes.length === 1 ? nodes[0] : undefined;
    }
    default:
      throw new TypeError("a function that RFC 9535 does not have");
  }
}

function lengthOf(args: Arguments): Comparable {
  const value = args.value(0);
  if (typeof value === "string") {
    spend(args.budget, value.length);
    let characters = 0;
    for (const _ of value) characters += 1;
    return characters;
  }
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

/** The standard asks for `false` where something is no text. */
function onText(args: Arguments, ask: (text: string, pattern: string) => boolean): boolean {
  const [text, pattern] = [args.value(0), args.value(1)];
  if (typeof text !== "string" || typeof pattern !== "string") return false;
  spend(args.budget, text.length + pattern.length);
  return ask(text, pattern);
}
