import type { Limit, LimitObserver, LimitPlan } from "@toolgate/core";
import { Gauge, type Registry } from "prom-client";
import { METRICS } from "./names.ts";
import type { Wanted } from "./series.ts";
import { type Count, tally } from "./tally.ts";

/**
 * Counts what limits decide. The label of a limit is its level and measure,
 * never a caller's id.
 *
 * @param tools which tools are registered; series of others go
 */
export function limitMetrics(registry: Registry, tools: Wanted): LimitObserver {
  const decisions = tally(registry, "toolgate_limit_decisions_total", tools);
  const series = (limit: Limit, tool: string, decision: string) => {
    const label = labelOf(limit);
    return decisions.get(tool, `${label} ${decision}`, () => ({ limit: label, tool, decision }));
  };
  // A plan is of one tool, and most calls are let through by all of it: they are counted without a look-up each.
  const admitted = new WeakMap<LimitPlan, ReadonlyMap<Limit, Count>>();
  const admittedBy = (plan: LimitPlan, tool: string) => {
    const known = admitted.get(plan);
    if (known !== undefined) return known;
    const made = new Map([...plan.inForce, ...plan.inShadow].map((limit) => [limit, series(limit, tool, "admitted")]));
    admitted.set(plan, made);
    return made;
  };
  const waiting = queueLengths(registry);
  return {
    decided({ call, plan, refusedBy, exceeded }) {
      const { name } = call.entry.tool;
      if (refusedBy !== undefined) {
        series(refusedBy, name, "refused").add();
        return;
      }
      for (const [limit, count] of admittedBy(plan, name)) if (!exceeded.includes(limit)) count.add();
      for (const limit of exceeded) series(limit, name, "shadow").add();
    },
    waiting(limit, change) {
      const label = labelOf(limit);
      waiting.set(label, (waiting.get(label) ?? 0) + change);
    },
  };
}

function labelOf({ level, measure }: Limit): string {
  return `${level}.${measure}`;
}

/** Written to by whoever counts; read when the metrics are. */
function queueLengths(registry: Registry): Map<string, number> {
  const name = "toolgate_limit_queue_length";
  const { help, labels } = METRICS[name];
  const lengths = new Map(["global", "tool", "client"].map((level) => [`${level}.max_concurrent`, 0]));
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      for (const [limit, length] of lengths) this.set({ limit }, length);
    },
  });
  return lengths;
}
