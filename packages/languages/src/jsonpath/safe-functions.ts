import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

/** RFC 9535 sections 2.4.6 and 2.4.7, on an engine that cannot hang. */
const CACHED_PATTERNS = 200;
const MAX_PATTERN_LENGTH = 1_000;

export class SafePatterns {
  readonly #compiled = new LRUCache<string, { readonly pattern: RE2JS | undefined }>({ max: CACHED_PATTERNS });

  /** Whether the whole text fits. */
  matches(text: unknown, pattern: unknown): boolean {
    return this.#on(text, pattern, (compiled, input) => compiled.matches(input));
  }

  /** Whether some part of the text fits. */
  searches(text: unknown, pattern: unknown): boolean {
    return this.#on(text, pattern, (compiled, input) => compiled.matcher(input).find());
  }

  /** The standard asks for `false` where something is no text or no valid pattern. */
  #on(text: unknown, pattern: unknown, ask: (compiled: RE2JS, input: string) => boolean): boolean {
    if (typeof text !== "string" || typeof pattern !== "string") return false;
    const compiled = this.#compile(pattern);
    return compiled !== undefined && ask(compiled, text);
  }

  #compile(pattern: string): RE2JS | undefined {
    const known = this.#compiled.get(pattern) ?? { pattern: compile(pattern) };
    this.#compiled.set(pattern, known);
    return known.pattern;
  }
}

function compile(pattern: string): RE2JS | undefined {
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
