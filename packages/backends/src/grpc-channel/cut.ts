/** At most `length` characters, without half a surrogate pair at the end. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text[length - 1] as string) ? length - 1 : length;
  return text.slice(0, end);
}

/** Of the service's own words, the characters that a message repeats. */
const QUOTED = 300;

/** The service's own words as the end of a sentence. */
export function quote(text: string): string {
  const start = text.trim();
  if (start === "") return ".";
  return start.length > QUOTED ? `: ${cut(start, QUOTED)}…` : `: ${start}`;
}
