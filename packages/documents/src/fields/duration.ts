import { z } from "zod";
import { type Parsed, quote, refuse } from "./parsed.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h|d)$/;
const EXAMPLES = 'such as "5s", "100ms", "2m" or "1h"';
/** About a year; longer is a slip of the pen. */
export const MAX_DURATION_MS = 366 * 86_400_000;

/** "5s", "100ms", "1.5h" as whole milliseconds. Units: ms, s, m, h, d. */
export function parseDuration(text: string): Parsed<number> {
  const match = DURATION.exec(text.trim());
  if (match === null) return { ok: false, message: `Expected a duration ${EXAMPLES}, not ${quote(text)}.` };
  const exact = Number(match[1]) * (UNITS[match[2] as string] as number);
  const value = Math.round(exact);
  if (Math.abs(exact - value) > 1e-6) return { ok: false, message: `${quote(text)} is not a whole number of ms.` };
  if (value > MAX_DURATION_MS) return { ok: false, message: `${quote(text)} is too long: at most 366d.` };
  return { ok: true, value };
}

/** The shortest text that {@link parseDuration} reads as these milliseconds. */
export function formatDuration(ms: number): string {
  const unit = ["d", "h", "m", "s"].find((name) => ms > 0 && ms % (UNITS[name] as number) === 0) ?? "ms";
  return `${ms / (UNITS[unit] as number)}${unit}`;
}

export interface DurationBounds {
  /** 0 where unset. */
  readonly minMs?: number;
  /** {@link MAX_DURATION_MS} where unset. */
  readonly maxMs?: number;
}

/** A duration with its unit, as milliseconds. A bare number is refused: nothing says what it counts. */
export function duration(bounds: DurationBounds = {}) {
  const { minMs = 0, maxMs = MAX_DURATION_MS } = bounds;
  return z.string({ error: ({ input }) => bareNumber(input) }).transform((text, context) => {
    const parsed = parseDuration(text);
    if (!parsed.ok) return refuse(context, parsed.message);
    if (parsed.value < minMs) return refuse(context, `Expected at least ${formatDuration(minMs)}, not ${quote(text)}.`);
    if (parsed.value > maxMs) return refuse(context, `Expected at most ${formatDuration(maxMs)}, not ${quote(text)}.`);
    return parsed.value;
  });
}

function bareNumber(input: unknown): string | undefined {
  if (typeof input !== "number" && typeof input !== "bigint") return undefined;
  return `A duration needs a unit: write "${input}s" for seconds or "${input}ms" for milliseconds.`;
}
