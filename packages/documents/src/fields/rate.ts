import type { Rate } from "@toolgate/core";
import { z } from "zod";
import { type Parsed, quote, refuse } from "./parsed.ts";

const PERIODS: Readonly<Record<string, number>> = {
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
};
const RATE = /^(\d{1,9})\s*\/\s*([a-z]+)$/;
const EXAMPLES = 'such as "10/min", "5/s" or "100/hour"';

/** "10/min" as at most 10 calls in any 60,000 ms. Periods: s, min, hour, day. */
export function parseRate(text: string): Parsed<Rate> {
  const match = RATE.exec(text.trim());
  const perMs = match === null ? undefined : periodOf(match[2] as string);
  if (match === null || perMs === undefined) {
    return { ok: false, message: `Expected a rate ${EXAMPLES}, not ${quote(text)}.` };
  }
  const calls = Number(match[1]);
  if (calls === 0)
    return { ok: false, message: "A rate must allow at least 1 call. To switch a tool off: enabled: false." };
  return { ok: true, value: { calls, perMs } };
}

function periodOf(name: string): number | undefined {
  return Object.hasOwn(PERIODS, name) ? PERIODS[name] : undefined;
}

/** A rate of calls. A bare number is refused: nothing says in what time. */
export function rate() {
  return z.string({ error: ({ input }) => bareNumber(input) }).transform((text, context) => {
    const parsed = parseRate(text);
    return parsed.ok ? parsed.value : refuse(context, parsed.message);
  });
}

function bareNumber(input: unknown): string | undefined {
  if (typeof input !== "number" && typeof input !== "bigint") return undefined;
  return `A rate needs a period: write "${input}/s" or "${input}/min".`;
}
