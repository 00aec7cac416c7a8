/** A pattern without look-ahead that says the same, as a choice of conjunctions. */
export interface Alternative {
  /** All of these must be found. */
  readonly found: readonly string[];
  /** None of these may be found. */
  readonly absent: readonly string[];
}

/**
 * Takes look-aheads apart that stand right behind a `^`: there, `^(?!A)(?=B)C`
 * says no more than "`^A` is not found, and `^B` and `^C` are". That is how
 * passwords, host names and e-mail addresses are mostly described. Any other
 * look-ahead is left in place.
 */
export function withoutLeadingLookAhead(pattern: string): readonly Alternative[] {
  if (!pattern.includes("(?=") && !pattern.includes("(?!")) return [{ found: [pattern], absent: [] }];
  return splitAtBars(pattern).map(takeApart);
}

function takeApart(pattern: string): Alternative {
  const found: string[] = [];
  const absent: string[] = [];
  let rest = pattern;
  while (/^\^\(\?[=!]/.test(rest)) {
    const end = endOfGroup(rest, 1);
    if (end === undefined) break;
    (rest[3] === "=" ? found : absent).push(`^(?:${rest.slice(4, end)})`);
    rest = `^${rest.slice(end + 1)}`;
  }
  // A quantifier of a look-ahead would now be one of the caret.
  if (/^\^[*+?{]/.test(rest)) return { found: [pattern], absent: [] };
  return { found: [...found, rest], absent };
}

function splitAtBars(pattern: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { char, index, depth } of structure(pattern)) {
    if (char !== "|" || depth !== 0) continue;
    parts.push(pattern.slice(start, index));
    start = index + 1;
  }
  return [...parts, pattern.slice(start)];
}

function endOfGroup(pattern: string, from: number): number | undefined {
  for (const { char, index, depth } of structure(pattern)) {
    if (index > from && char === ")" && depth === 0) return index;
  }
  return undefined;
}

/** The characters that give a pattern its structure, with the number of groups around each. */
function* structure(pattern: string): Generator<{ char: string; index: number; depth: number }> {
  let depth = 0;
  let inClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern[index] as string;
    if (char === "\\") index++;
    else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else if (char === "(") yield { char, index, depth: depth++ };
    else if (char === ")") yield { char, index, depth: --depth };
    else if (char === "|") yield { char, index, depth };
  }
}
