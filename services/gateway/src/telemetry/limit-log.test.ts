import { limitsOf, planOf } from "@toolgate/core";
import { aReadyCall } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { expect, it } from "vitest";
import { shadowLog } from "./limit-log.ts";

it("says that a limit in shadow was exceeded at once, then at most every 10 s, and forgets none", () => {
  const clock = createFakeClock();
  const lines: unknown[] = [];
  const log = shadowLog({ info: (fields: unknown) => void lines.push(fields) }, clock);
  const plan = planOf(limitsOf("global", "", { maxQps: 1, shadow: true })) ?? expect.fail("There are no limits.");
  const exceed = () => log.decided({ call: aReadyCall(), plan, exceeded: plan.inShadow });
  log.decided({ call: aReadyCall(), plan, exceeded: [] });
  expect(lines).toEqual([]);
  exceed();
  const line = { limit: "global.max_qps", tool: "echo", caller: "", callId: "call-1" };
  expect(lines).toEqual([{ ...line, calls: 1 }]);
  clock.advance(9_999);
  exceed();
  exceed();
  expect(lines).toHaveLength(1);
  clock.advance(1);
  exceed();
  expect(lines.slice(1)).toEqual([{ ...line, calls: 3 }]);
});
