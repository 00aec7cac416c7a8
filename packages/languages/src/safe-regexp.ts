import { RE2JS } from "re2js";

/** A pattern with the two uses that ajv has for it. */
export interface SafeRegExp {
  test(text: string): boolean;
  /** ajv takes patterns with the same text for the same pattern. */
  toString(): string;
}

/**
 * A regular expression whose matching takes time linear in the text: no
 * pattern of a tool owner can hang the gateway. Syntax is RE2's with
 * ECMA-262's escapes: no look-around and no back references.
 *
 * @throws Error where the pattern cannot be used.
 */
export function safeRegExp(pattern: string): SafeRegExp {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
}

/** Why a pattern cannot be used; `undefined` where it can. */
export function inspectRegExp(pattern: string): string | undefined {
  try {
    safeRegExp(pattern);
    return undefined;
  } catch (error) {
    const unsupported = /\(\?<?[=!]|\\[1-9]/.test(pattern)
      ? " (look-around and back references are not supported)"
      : "";
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "not valid";
    return `the pattern ${JSON.stringify(pattern.slice(0, 80))} cannot be used: ${reason}${unsupported}`;
  }
}
