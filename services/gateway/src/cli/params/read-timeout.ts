import { UsageError } from "../exit-codes.ts";
import { quote } from "./pairs.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)$/;
const MAX_MS = 24 * 3_600_000;

/**
 * "5s", "500ms" or "1.5m" as whole milliseconds. A part of the durations of
 * the configuration, read here because the reader of those is slow to load.
 *
 * @throws UsageError where it is none, or not above 0 and at most 24h.
 */
export function readTimeout(text: string): number {
  const ms = durationMs(text) ?? 0;
  if (ms > 0 && ms <= MAX_MS) return Math.ceil(ms);
  throw new UsageError(
    `--timeout: Expected a duration such as "5s", "500ms" or "2m", at most "24h", not ${quote(text)}.`,
  );
}

/** Milliseconds of a text such as "5s" or "2d"; `undefined` where it is none. */
export function durationMs(text: string): number | undefined {
  const match = DURATION.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * (UNITS[match[2] as string] as number);
}
