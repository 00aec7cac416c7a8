/**
 * Milliseconds to wait as a `Retry-After` header says (RFC 9110, 10.2.3):
 * seconds, or a date; `undefined` where it says neither.
 *
 * @param now milliseconds since the epoch.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Only what begins like a date: `Date.parse` reads a date out of almost anything.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const at = Date.parse(/GMT$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
