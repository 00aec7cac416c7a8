import type { Clock, Limit, LimitObserver } from "@toolgate/core";
import type { Logger } from "pino";

/** A limit in shadow that is always exceeded fills no log. */
const EVERY_MS = 10_000;

/** Says when a limit in shadow would have refused calls: the first one at once, then how many, at most every 10 s. */
export function shadowLog(log: Pick<Logger, "info">, clock: Pick<Clock, "monotonic">): Pick<LimitObserver, "decided"> {
  const said = new WeakMap<Limit, { at: number; unsaid: number }>();
  return {
    decided({ call, exceeded }) {
      for (const limit of exceeded) {
        const last = said.get(limit) ?? { at: Number.NEGATIVE_INFINITY, unsaid: 0 };
        said.set(limit, last);
        last.unsaid += 1;
        if (clock.monotonic() - last.at < EVERY_MS) continue;
        const fields = { limit: limit.name, tool: call.entry.tool.name, caller: call.caller.id, calls: last.unsaid };
        log.info({ ...fields, callId: call.callId }, "a limit in shadow would have refused calls");
        last.at = clock.monotonic();
        last.unsaid = 0;
      }
    },
  };
}
