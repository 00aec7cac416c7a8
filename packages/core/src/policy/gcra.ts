/**
 * The Generic Cell Rate Algorithm (ITU-T I.371, as virtual scheduling): calls
 * are `intervalUs` apart in the long run, and `burst` of them may come at once.
 * In any stretch of `t` microseconds it lets through at most
 * `burst + floor(t / intervalUs)` calls.
 *
 * What is remembered of a limit is one number, its theoretical arrival time:
 * when the limit is whole again. Times are whole microseconds on any one clock,
 * so that every sum here is exact.
 */
export interface Gcra {
  readonly intervalUs: number;
  readonly burst: number;
}

/** Rounds the interval up: rather a little slower than the rate than faster. */
export function gcraOf(rate: { readonly calls: number; readonly perMs: number }, burst: number = rate.calls): Gcra {
  return { intervalUs: Math.ceil((rate.perMs * 1000) / rate.calls), burst };
}

/** Microseconds until the next call is let through; 0 where it is now. */
export function waitUs({ intervalUs, burst }: Gcra, wholeAt: number, now: number): number {
  return Math.max(0, wholeAt - (burst - 1) * intervalUs - now);
}

/** When the limit is whole again after one more call. */
export function afterCall({ intervalUs }: Gcra, wholeAt: number, now: number): number {
  return Math.max(wholeAt, now) + intervalUs;
}

/** Calls that could come at once now. */
export function callsLeft({ intervalUs, burst }: Gcra, wholeAt: number, now: number): number {
  return Math.max(0, burst - Math.ceil(Math.max(0, wholeAt - now) / intervalUs));
}

/** The first whole millisecond that is not too early. */
export function wholeMs(us: number): number {
  return Math.ceil(us / 1000);
}
