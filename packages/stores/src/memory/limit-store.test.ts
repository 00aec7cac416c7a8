import { type LimitPlan, type LimitStore, limitsOf, planOf, type SlotLease, type Taken } from "@toolgate/core";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { limitStoreSuite } from "@toolgate/testkit/limit-store-suite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryLimitStore } from "./index.ts";

limitStoreSuite("memory", async () => {
  const clock = createFakeClock();
  return {
    store: createMemoryLimitStore({ clock }),
    wait: async (ms) => clock.advance(ms),
    exact: true,
    close: async () => {},
  };
});

/** One call of a tool that is limited to so many in a minute. */
function call(store: LimitStore, tool: string, calls = 1): string {
  const plan = planOf(limitsOf("tool", tool, { rate: { calls, perMs: 60_000 } }));
  const taken = plan && store.take(plan);
  return taken === undefined || taken instanceof Promise ? "later" : taken.kind;
}

describe("createMemoryLimitStore", () => {
  it("decides at once", () => {
    expect(call(createMemoryLimitStore({ clock: createFakeClock() }), "echo")).toBe("granted");
  });

  it("forgets limits that are whole again, and no others, before it holds too many", () => {
    const clock = createFakeClock();
    const store = createMemoryLimitStore({ clock, maxCounters: 10 });
    for (let i = 0; i < 9; i++) call(store, `old-${i}`);
    clock.advance(60_000);
    for (let i = 0; i < 9; i++) call(store, `new-${i}`);
    // Room was made among the old ones: the new ones are all remembered.
    for (let i = 0; i < 9; i++) expect(call(store, `new-${i}`)).toBe("over-rate");
  });

  it("forgets the oldest where all are still in use, rather than grow", () => {
    const store = createMemoryLimitStore({ clock: createFakeClock(), maxCounters: 3 });
    for (const tool of ["a", "b", "c", "d"]) expect(call(store, tool)).toBe("granted");
    for (const tool of ["b", "c", "d"]) expect(call(store, tool)).toBe("over-rate");
    expect(call(store, "a")).toBe("granted");
  });

  it("holds never more slots than there are, and none in the end, whatever the order", () => {
    const global = limitsOf("global", "", { maxConcurrent: 3 });
    const most = [2, 1, 1] as const;
    const plans = most.map((slots, tool) =>
      planOf([...global, ...limitsOf("tool", `${tool}`, { maxConcurrent: slots })]),
    );
    const steps = fc.array(fc.record({ gives: fc.boolean(), tool: fc.nat(2), place: fc.nat(9) }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (todo) => {
        const store = createMemoryLimitStore({ clock: createFakeClock() });
        const take = (tool: number) => store.take(plans[tool] as LimitPlan) as Taken;
        const held: { readonly tool: number; readonly lease: SlotLease | undefined }[] = [];
        const hasRoom = (tool: number) =>
          held.length < 3 && held.filter((one) => one.tool === tool).length < (most[tool] as number);
        const step = ({ gives, tool, place }: { gives: boolean; tool: number; place: number }) => {
          if (gives) return held.splice(place, 1)[0]?.lease?.release();
          const expected = hasRoom(tool) ? "granted" : "busy";
          const taken = take(tool);
          expect(taken.kind).toBe(expected);
          if (taken.kind === "granted") held.push({ tool, lease: taken.lease });
        };
        for (const one of todo) step(one);
        for (const { lease } of held) lease?.release();
        expect(take(0)).toMatchObject({ states: [{ remaining: 2 }, { remaining: 1 }] });
      }),
    );
  });
});
