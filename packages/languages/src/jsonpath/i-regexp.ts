import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

const MAX_PATTERN_LENGTH = 1_000;
/** States of the automaton times characters of the text; beyond that, nothing matches. */
const MAX_WORK = 100_000_000;

/** Patterns come from paths, or from the values they are asked about: the cache is for the whole process. */
const compiledPatterns = new LRUCache<string, { readonly pattern: RE2JS | undefined }>({ max: 200 });

/** Whether the whole text fits (RFC 9535 section 2.4.6), on an engine that cannot hang. */
export function matches(text: string, pattern: string): boolean {
  return within(text, compile(pattern))?.matches(text) ?? false;
}

/** Whether some part of the text fits (section 2.4.7). */
export function searches(text: string, pattern: string): boolean {
  return within(text, compile(pattern))?.matcher(text).find() ?? false;
}

function within(text: string, pattern: RE2JS | undefined): RE2JS | undefined {
  return pattern === undefined || pattern.programSize() * text.length > MAX_WORK ? undefined : pattern;
}

/** `undefined` where it is no pattern: the standard lets it match nothing. */
function compile(pattern: string): RE2JS | undefined {
  const known = compiledPatterns.get(pattern);
  if (known !== undefined) return known.pattern;
  const made = tryCompile(pattern);
  compiledPatterns.set(pattern, { pattern: made });
  return made;
}

function tryCompile(pattern: string): RE2JS | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    return RE2JS.compile(withIRegexpDot(pattern));
  } catch {
    return undefined;
  }
}

/** In I-Regexp (RFC 9485 section 5.3) a dot is anything but line feed and carriage return. */
function withIRegexpDot(pattern: string): string {
  let inClass = false;
  let result = "";
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === "\\") {
      result += char + (pattern[++i] ?? "");
      continue;
    }
    if (char === "[") inClass = true;
    if (char === "]") inClass = false;
    result += char === "." && !inClass ? "[^\\n\\r]" : char;
  }
  return result;
}
