import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { toRe2 } from "./ecma-syntax.ts";
import { withoutLeadingLookAhead } from "./look-ahead.ts";

/** A pattern with the two uses that ajv has for it. */
export interface SafeRegExp {
  test(text: string): boolean;
  /** ajv takes patterns with the same text for the same pattern. */
  toString(): string;
}

const MAX_PATTERN_LENGTH = 10_000;
/** States of the automaton times characters of the text: a second or two at worst. */
const MAX_WORK = 100_000_000;

/** Tools of one source repeat their patterns, and each takes a fifth of a millisecond. */
const compiled = new LRUCache<string, SafeRegExp>({ max: 500 });

/**
 * A regular expression of ECMA-262 whose matching takes time linear in the
 * text: no pattern of a tool owner can hang the gateway. Supported is what RE2
 * can do, and look-ahead right behind a leading `^`; not supported are other
 * look-ahead and back references. A text that is too long to be matched
 * within a second or two does not fit.
 *
 * @throws SyntaxError, in words, where the pattern cannot be used.
 */
export function safeRegExp(pattern: string): SafeRegExp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compileAll(pattern);
  compiled.set(pattern, made);
  return made;
}

function compileAll(pattern: string): SafeRegExp {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new SyntaxError(`it is ${pattern.length} characters long; at most ${MAX_PATTERN_LENGTH} are allowed`);
  }
  const alternatives = withoutLeadingLookAhead(pattern).map(({ found, absent }) => ({
    found: found.map(compile),
    absent: absent.map(compile),
  }));
  return {
    test: (text) =>
      alternatives.some(
        ({ found, absent }) =>
          found.every((part) => isFound(part, text) === true) && absent.every((part) => isFound(part, text) === false),
      ),
    toString: () => pattern,
  };
}

function compile(pattern: string): RE2JS {
  const translated = toRe2(pattern);
  try {
    return RE2JS.compile(translated, RE2JS.LOOKBEHINDS);
  } catch (error) {
    throw new SyntaxError(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "it is not valid";
  const isLookAhead = /\(\?[=!]/.test(reason);
  return isLookAhead ? "look-ahead is only supported right behind a leading ^" : reason;
}

/** `undefined` where finding out would take too long. */
function isFound(part: RE2JS, text: string): boolean | undefined {
  if (part.programSize() * text.length > MAX_WORK) return undefined;
  return part.matcher(text).find();
}

/** Why a pattern cannot be used; `undefined` where it can. */
export function inspectRegExp(pattern: string): string | undefined {
  try {
    safeRegExp(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it is not valid";
    return `the pattern ${JSON.stringify(pattern.slice(0, 80))} cannot be used: ${reason} (supported: RE2 syntax)`;
  }
}
