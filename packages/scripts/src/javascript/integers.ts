/**
 * Integers beyond 2^53 - 1 are BigInt inside a script. QuickJS reads and writes JSON without them, so they cross as
 * texts with a mark in front that no other text of the input has.
 */

/** A text, or else a number, of JSON. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;

export interface Marked {
  readonly text: string;
  readonly mark: string;
}

/** The JSON text with each integer that a double cannot hold as a text behind the mark. */
export function markIntegers(text: string): Marked {
  const mark = unusedMark(text);
  if (!/\d{16}/.test(text)) return { text, mark };
  const marked = text.replace(TEXT_OR_NUMBER, (token) => {
    return INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token;
  });
  return { text: marked, mark };
}

/** The reverse, of a text that the script made. */
export function unmarkIntegers(text: string, mark: string): string {
  return text.includes(mark) ? text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}

function unusedMark(text: string): string {
  for (let n = 0; ; n += 1) {
    const mark = `integer${n}:`;
    if (!text.includes(mark)) return mark;
  }
}
