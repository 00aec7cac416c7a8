/** The text, or its beginning and "…" where it is longer than `length` characters. */
export function excerpt(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** An {@link excerpt} in quotes, with everything escaped that JSON escapes. */
export function quotedExcerpt(text: string, length: number): string {
  return JSON.stringify(excerpt(text, length));
}

/** At most `length` characters, without half a surrogate pair at the end. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text[length - 1] as string) ? length - 1 : length;
  return text.slice(0, end);
}

/** Of a backend's own words, the characters that a message repeats. */
const REPEATED = 300;

/** A backend's own words as the end of a sentence: `: words`, or `.` where there are none. */
export function ownWords(text: string): string {
  const start = text.trim();
  if (start === "") return ".";
  return start.length > REPEATED ? `: ${cut(start, REPEATED)}…` : `: ${start}`;
}

/** Milliseconds as people say them: "250 ms", "1.5 s". */
export function durationInWords(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
