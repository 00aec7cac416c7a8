import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import type { Caller } from "../call/call.ts";
import { LimitPlans } from "./limit-plans.ts";
import { limitsOf, NO_LIMITS, planOf } from "./limits.ts";

const ann: Caller = { id: "ann", admin: false };
const bob: Caller = { id: "bob", admin: false };

describe("limitsOf", () => {
  it("makes one limit of each measure, named for the reader", () => {
    const spec = { rate: { calls: 10, perMs: 60_000 }, maxQps: 100, maxConcurrent: 5 };
    expect(limitsOf("tool", "web_search", spec)).toEqual([
      {
        name: "tool.web_search.rate",
        level: "tool",
        measure: "rate",
        key: "tool:web_search:rate",
        shadow: false,
        calls: 10,
        windowMs: 60_000,
        rule: { intervalUs: 6_000_000, burst: 10 },
      },
      {
        name: "tool.web_search.max_qps",
        level: "tool",
        measure: "max_qps",
        key: "tool:web_search:max_qps",
        shadow: false,
        calls: 100,
        windowMs: 1_000,
        rule: { intervalUs: 10_000, burst: 100 },
      },
      {
        name: "tool.web_search.max_concurrent",
        level: "tool",
        measure: "max_concurrent",
        key: "tool:web_search:max_concurrent",
        shadow: false,
        slots: 5,
        queue: { maxLength: 100, maxWaitMs: 5_000 },
      },
    ]);
  });

  it("names no caller, and counts each by itself", () => {
    const [one, other] = ["ann", "bob"].map((id) => limitsOf("client", id, { maxQps: 1 })[0]);
    expect([one?.name, other?.name]).toEqual(["client.max_qps", "client.max_qps"]);
    expect(one?.key).not.toBe(other?.key);
  });

  it.each([
    [0.5, 1, 2_000, 2_000_000, 1],
    [2.5, 2, 800, 400_000, 2],
    [500, 500, 1_000, 2_000, 500],
  ])("reads %s calls a second as %s in %s ms", (maxQps, calls, windowMs, intervalUs, burst) => {
    expect(limitsOf("global", "", { maxQps })).toMatchObject([{ calls, windowMs, rule: { intervalUs, burst } }]);
  });

  it("takes a burst for both rates, and only what is said of a queue", () => {
    const spec = {
      rate: { calls: 100, perMs: 1_000 },
      maxQps: 50,
      burst: 3,
      maxConcurrent: 1,
      queue: { maxLength: 0 },
    };
    expect(limitsOf("global", "", spec)).toMatchObject([
      { rule: { burst: 3 } },
      { rule: { burst: 3 } },
      { queue: { maxLength: 0, maxWaitMs: 5_000 } },
    ]);
  });
});

describe("planOf", () => {
  it("sorts what refuses from what only reports", () => {
    const enforced = limitsOf("global", "", { maxConcurrent: 1, maxQps: 1 });
    const shadow = limitsOf("client", "ann", { maxConcurrent: 1, shadow: true });
    const plan = planOf([...enforced, ...shadow]);
    expect(plan).toEqual({ inForce: enforced, inShadow: shadow, slots: [enforced[1]] });
    expect(planOf([])).toBeUndefined();
  });
});

describe("LimitPlans", () => {
  const namesOf = (plans: LimitPlans, tool: Parameters<LimitPlans["for"]>[0], caller = ann) =>
    plans.for(tool, caller)?.inForce.map(({ name }) => name);

  it("have none where nothing is limited", () => {
    expect(new LimitPlans(NO_LIMITS).for(aTool(), ann)).toBeUndefined();
    const others = new LimitPlans({ ...NO_LIMITS, perTool: new Map([["other", { maxQps: 1 }]]) });
    expect(others.for(aTool(), ann)).toBeUndefined();
    expect(others.for(aTool(), ann)).toBeUndefined();
  });

  it("put all levels together, once for each tool and caller", () => {
    const plans = new LimitPlans({ ...NO_LIMITS, global: { maxConcurrent: 9 }, perClient: { maxQps: 2 } });
    const tool = aTool({ limits: { rate: { calls: 1, perMs: 1_000 } } });
    expect(namesOf(plans, tool)).toEqual(["global.max_concurrent", "tool.echo.rate", "client.max_qps"]);
    expect(plans.for(tool, ann)).toBe(plans.for(tool, ann));
    expect(plans.for(tool, bob)).not.toBe(plans.for(tool, ann));
    expect(plans.for({ ...tool, limits: { maxQps: 3 } }, ann)?.inForce[1]?.name).toBe("tool.echo.max_qps");
  });

  it("let the operator's words on a tool or a client go before the general ones, key by key", () => {
    const plans = new LimitPlans({
      perTool: new Map([["echo", { maxQps: 7 }]]),
      perClient: { maxConcurrent: 2, maxQps: 1 },
      clients: new Map([["ann", { maxConcurrent: 5 }]]),
    });
    const tool = aTool({ limits: { maxQps: 1, maxConcurrent: 3 } });
    const numbers = (caller: Caller) =>
      plans.for(tool, caller)?.inForce.map((limit) => (limit.measure === "max_concurrent" ? limit.slots : limit.calls));
    expect(numbers(ann)).toEqual([7, 3, 1, 5]);
    expect(numbers(bob)).toEqual([7, 3, 1, 2]);
  });
});
