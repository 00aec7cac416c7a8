import { z } from "zod";
import { type Parsed, quote, refuse } from "./parsed.ts";

const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const SIZE = /^(\d{1,15})\s*(B|KiB|MiB|GiB)$/;
const DECIMAL = /^\d+\s*([kKMG])i?[bB]?$/;
export const MAX_BYTE_SIZE = 1024 ** 4;

/** "4MiB" as bytes. Units: B, KiB, MiB, GiB (IEC 80000-13: powers of 1024). */
export function parseByteSize(text: string): Parsed<number> {
  const match = SIZE.exec(text.trim());
  if (match === null) {
    const prefix = DECIMAL.exec(text.trim())?.[1];
    const hint = prefix === undefined ? "" : ` Write ${prefix.toUpperCase()}iB.`;
    return { ok: false, message: `Expected a size such as "64KiB" or "4MiB", not ${quote(text)}.${hint}` };
  }
  const value = Number(match[1]) * (UNITS[match[2] as string] as number);
  return value <= MAX_BYTE_SIZE ? { ok: true, value } : { ok: false, message: `${quote(text)} is too much.` };
}

export interface ByteSizeBounds {
  readonly min?: number;
  readonly max?: number;
}

/** A size with its unit, as bytes; both bounds are in bytes and included. */
export function byteSize(bounds: ByteSizeBounds = {}) {
  const { min = 0, max = MAX_BYTE_SIZE } = bounds;
  return z.string({ error: ({ input }) => bareNumber(input) }).transform((text, context) => {
    const parsed = parseByteSize(text);
    if (!parsed.ok) return refuse(context, parsed.message);
    if (parsed.value < min) return refuse(context, `Expected at least ${min}B, not ${quote(text)}.`);
    if (parsed.value > max) return refuse(context, `Expected at most ${max}B, not ${quote(text)}.`);
    return parsed.value;
  });
}

function bareNumber(input: unknown): string | undefined {
  if (typeof input !== "number" && typeof input !== "bigint") return undefined;
  return `A size needs a unit: write "${input}B" for bytes, or use KiB or MiB.`;
}
