import type { LoopLimit } from "@toolgate/core";
import { duration } from "@toolgate/documents";
import { z } from "zod";
import { DEFAULT_LOOP_GUARD, type GatewayConfig } from "./config.ts";

/** More calls than this in a row, nobody makes without noticing. */
const MAX_CALLS = 20;
const MAX_SESSIONS = 1_000_000;

const { rules: DEFAULTS } = DEFAULT_LOOP_GUARD;

export const loopGuardSchema = z.strictObject({
  enabled: z.boolean().optional().describe("`false` switches the whole guard off. Default: true."),
  repeat: limit(DEFAULTS.repeat)
    .optional()
    .describe("The same call of a `read_only` tool in a row. The count starts anew when anything else runs."),
  cycle: limit(DEFAULTS.cycle)
    .optional()
    .describe(
      "The same two to five calls in turn, in rounds. Calls that are not `read_only` count only where their results repeat too.",
    ),
  same_result: limit(DEFAULTS.sameResult)
    .optional()
    .describe("Calls of one `read_only` tool in a row that gave the same result, whatever their arguments."),
  max_sessions: z
    .int()
    .min(1)
    .max(MAX_SESSIONS)
    .optional()
    .describe("Sessions that are remembered; then the quietest is forgotten. Default: 10000."),
  forget_after: duration({ minMs: 1_000 }).optional().describe("How long a quiet session is remembered. Default: 10m."),
});

type LoopGuardYaml = z.output<typeof loopGuardSchema>;
type LimitYaml = LoopGuardYaml["repeat"];

function limit({ warnAt, refuseAt }: LoopLimit) {
  const count = z.int().min(2).max(MAX_CALLS).optional();
  return z
    .strictObject({
      enabled: z.boolean().optional().describe("`false` switches this pattern off. Default: true."),
      warn_at: count.describe(`How many are worth a warning in \`meta.warnings\`. Default: ${warnAt}.`),
      refuse_at: count.describe(`How many are LOOP_DETECTED. Not less than \`warn_at\`. Default: ${refuseAt}.`),
    })
    .refine(({ warn_at, refuse_at }) => warn_at === undefined || refuse_at === undefined || warn_at <= refuse_at, {
      path: ["refuse_at"],
      error: '"refuse_at" must not be less than "warn_at"',
    });
}

/** The rules as they hold; nothing where the guard is switched off. */
export function completeLoopGuard(yaml: LoopGuardYaml = {}): Pick<GatewayConfig, "loopGuard"> {
  if (yaml.enabled === false) return {};
  const rules = {
    repeat: completeLimit(yaml.repeat, DEFAULTS.repeat),
    cycle: completeLimit(yaml.cycle, DEFAULTS.cycle),
    sameResult: completeLimit(yaml.same_result, DEFAULTS.sameResult),
  };
  const { max_sessions: sessions, forget_after: forgetAfterMs } = yaml;
  return {
    loopGuard: {
      rules,
      sessions: sessions ?? DEFAULT_LOOP_GUARD.sessions,
      forgetAfterMs: forgetAfterMs ?? DEFAULT_LOOP_GUARD.forgetAfterMs,
    },
  };
}

/** Where only one of the two is said, the other follows it rather than contradict it. */
function completeLimit(yaml: LimitYaml = {}, { warnAt, refuseAt }: LoopLimit): LoopLimit {
  const { enabled = true, warn_at, refuse_at = Math.max(refuseAt, warn_at ?? 0) } = yaml;
  return { enabled, warnAt: Math.min(warn_at ?? warnAt, refuse_at), refuseAt: refuse_at };
}
