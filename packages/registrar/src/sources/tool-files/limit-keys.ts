import type { LimitsSpec } from "@toolgate/core";
import { duration, rate } from "@toolgate/documents";
import { z } from "zod";
import { said } from "./said.ts";

const MAX_CALLS = 1_000_000;
const MAX_BURST = 10_000;
const MAX_WAIT_MS = 600_000;

/** What can be limited, of a tool, of a caller, or of all calls together. `docs/configuration.md` is checked against it. */
export const limitsSchema = z.strictObject({
  max_concurrent: z
    .int()
    .min(1)
    .max(MAX_CALLS)
    .optional()
    .describe("Calls that may run at once; more wait in `queue`."),
  max_qps: z.number().min(0.001).max(MAX_CALLS).optional().describe("Calls a second, such as `100` or `0.5`."),
  rate: rate().optional().describe("Calls in a time, such as `10/min`."),
  burst: z
    .int()
    .min(1)
    .max(MAX_BURST)
    .optional()
    .describe("Calls that `rate` and `max_qps` let come at once. Default: a whole period of each. `1`: evenly spread."),
  queue: z
    .strictObject({
      max_length: z.int().min(0).max(MAX_BURST).optional().describe("Calls that may wait. Default: 100. `0`: none."),
      max_wait: duration({ maxMs: MAX_WAIT_MS }).optional().describe("Longest wait of a call. Default: 5s."),
    })
    .optional()
    .describe("Where calls wait that `max_concurrent` has no room for."),
  shadow: z.boolean().optional().describe("`true`: these limits count and report, and refuse nothing. Default: false."),
});

export type LimitKeys = z.output<typeof limitsSchema>;

export function toLimits({ max_concurrent, max_qps, rate, burst, queue, shadow }: LimitKeys): LimitsSpec {
  const bounds = queue && said({ maxLength: queue.max_length, maxWaitMs: queue.max_wait });
  return said({ rate, maxConcurrent: max_concurrent, maxQps: max_qps, burst, queue: bounds, shadow });
}

/** Keys that do nothing without another one, and why: a limit that is configured must bite. */
export function idleLimitKeys(keys: LimitKeys): readonly (readonly [key: keyof LimitKeys, message: string])[] {
  const { max_concurrent, max_qps, rate, burst, queue } = keys;
  const found: (readonly [keyof LimitKeys, string])[] = [];
  if (burst !== undefined && max_qps === undefined && rate === undefined)
    found.push(["burst", '"burst" says how many calls a "rate" or "max_qps" lets come at once, and there is neither.']);
  if (queue !== undefined && max_concurrent === undefined)
    found.push(["queue", '"queue" is where calls wait for "max_concurrent", which is not there.']);
  return found;
}
