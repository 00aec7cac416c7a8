/**
 * Why `parseJson` could not read a text, as sentences for whoever wrote it:
 * cut off, too much, where it breaks, or which bound it exceeds.
 */
export function jsonFault(text: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (endsEarly(reason, text)) return "The text is cut off: it ends before the JSON does.";
  const position = positionIn(reason);
  if (position !== undefined && reason.startsWith("Unexpected non-whitespace character after JSON")) {
    return `It is complete before character ${position + 1}, but goes on.`;
  }
  if (position !== undefined) return `It breaks at character ${position + 1}.`;
  const [, token, context] = UNEXPECTED.exec(reason) ?? [];
  if (token !== undefined) return `It breaks at ${token}, in ${context}.`;
  // The bounds that the parser itself sets say what they are.
  return `${reason.slice(0, MAX_REASON)}.`;
}

const MAX_REASON = 200;

/** V8 names no position for a token that cannot stand where it is, only what is around it. */
const UNEXPECTED = /^Unexpected token (.+?), (.+) is not valid JSON$/s;

/** Whatever is missing, V8 says either that the input ended, or that it breaks at its very end. */
function endsEarly(reason: string, text: string): boolean {
  if (reason.startsWith("Unexpected end of JSON input")) return true;
  const position = positionIn(reason);
  return position !== undefined && position >= endOf(text);
}

/** Where the text ends, but for white space as RFC 8259 has it. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && " \t\n\r".includes(text[end - 1] as string)) end -= 1;
  return end;
}

function positionIn(reason: string): number | undefined {
  const position = / JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(reason)?.[1];
  return position === undefined ? undefined : Number(position);
}
