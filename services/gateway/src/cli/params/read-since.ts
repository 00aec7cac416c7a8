import { UsageError } from "../exit-codes.ts";
import { quote } from "./pairs.ts";
import { durationMs } from "./read-timeout.ts";

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T.+)?$/;

/**
 * "10m", "2d": so long before `now`; or a time such as "2026-02-03T10:15:00Z".
 *
 * @throws UsageError where it is neither
 */
export function readSince(text: string, now: number): Date {
  const ago = durationMs(text);
  if (ago !== undefined) return new Date(now - ago);
  const time = ISO_DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(time)) return new Date(time);
  throw new UsageError(
    `--since: Expected a duration such as "10m" or "2d", or a time such as "2026-02-03T10:15:00Z", not ${quote(text)}.`,
  );
}
