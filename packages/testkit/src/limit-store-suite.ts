import {
  type Limit,
  type LimitPlan,
  type LimitStore,
  limitsOf,
  planOf,
  type SlotLimit,
  type Taken,
} from "@toolgate/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** Counters that nobody has used yet, for one test. */
export interface OpenLimits {
  readonly store: LimitStore;
  /** Lets time go by for the counters: at least so many milliseconds, and where `exact`, just so many. */
  wait(ms: number): Promise<void>;
  /** Whether time stands still but for `wait`. */
  readonly exact: boolean;
  close(): Promise<void>;
}

const MINUTE = 60_000;

function plan(...limits: readonly (readonly Limit[])[]): LimitPlan {
  const made = planOf(limits.flat());
  if (made === undefined) throw new Error("The plan of a test needs limits.");
  return made;
}

const perMinute = (calls: number, id = "echo") => limitsOf("tool", id, { rate: { calls, perMs: MINUTE } });
const slots = (maxConcurrent: number, id = "echo") => limitsOf("tool", id, { maxConcurrent });

/** What every LimitStore does. `open` makes fresh counters for each test. */
export function limitStoreSuite(name: string, open: () => Promise<OpenLimits>): void {
  describe(`limit store: ${name}`, () => {
    let limits: OpenLimits;
    beforeEach(async () => {
      limits = await open();
    });
    afterEach(() => limits.close());
    const take = (wanted: LimitPlan) => Promise.resolve(limits.store.take(wanted));
    const kinds = async (wanted: LimitPlan, times: number) => {
      const taken: Taken["kind"][] = [];
      for (let i = 0; i < times; i++) taken.push((await take(wanted)).kind);
      return taken;
    };
    const granted = async (wanted: LimitPlan) => {
      const taken = await take(wanted);
      return taken.kind === "granted" ? taken : expect.fail(`It was refused: ${taken.kind}.`);
    };

    it("lets through as many calls as a rate has, and tells when the next may come", async () => {
      const wanted = plan(perMinute(3));
      expect(await kinds(wanted, 3)).toEqual(["granted", "granted", "granted"]);
      const refused = await take(wanted);
      if (refused.kind !== "over-rate") return expect.fail(refused.kind);
      expect(refused.limit.name).toBe("tool.echo.rate");
      if (limits.exact) {
        expect(refused.retryAfterMs).toBe(20_000);
        await limits.wait(refused.retryAfterMs - 1);
        expect((await take(wanted)).kind).toBe("over-rate");
        await limits.wait(1);
        expect((await take(wanted)).kind).toBe("granted");
      } else expect(refused.retryAfterMs).toBeGreaterThan(19_000);
    });

    it("tells the longest of the waits, and which limit that is", async () => {
      const wanted = plan(perMinute(1, "short"), limitsOf("global", "", { rate: { calls: 1, perMs: 60 * MINUTE } }));
      await granted(wanted);
      const refused = await take(wanted);
      expect(refused).toMatchObject({ kind: "over-rate", limit: { name: "global.rate" } });
      expect(refused.kind === "over-rate" && refused.retryAfterMs).toBeGreaterThan(59 * MINUTE);
    });

    it("says what is left of each limit, also when it refuses", async () => {
      const wanted = plan(perMinute(2), slots(1));
      const first = await granted(wanted);
      expect(first.states.map(({ name, limit, remaining, windowMs }) => [name, limit, remaining, windowMs])).toEqual([
        ["tool.echo.rate", 2, 1, MINUTE],
        ["tool.echo.max_concurrent", 1, 0, 0],
      ]);
      expect(first.states[0]?.resetMs).toBeGreaterThan(29_000);
      expect((await take(wanted)).states.map(({ remaining }) => remaining)).toEqual([1, 0]);
    });

    it("limits-04 (BerriAI/litellm#39309): a call that one limit refuses is counted by none", async () => {
      const wanted = plan(perMinute(2), slots(1));
      const first = await granted(wanted);
      expect(await kinds(wanted, 5)).toEqual(Array(5).fill("busy"));
      first.lease?.release();
      expect((await take(wanted)).kind).toBe("granted");
      const other = plan(perMinute(2), perMinute(5, "other"));
      expect((await take(other)).kind).toBe("over-rate");
      expect((await granted(plan(perMinute(5, "other")))).states[0]?.remaining).toBe(4);
    });

    it("says that a rate is used up rather than that slots are busy: waiting for a slot would not help", async () => {
      const wanted = plan(perMinute(1), slots(1));
      await granted(wanted);
      expect((await take(wanted)).kind).toBe("over-rate");
    });

    it("holds as many slots as there are, and each comes back once", async () => {
      const wanted = plan(slots(2));
      const first = await granted(wanted);
      await granted(wanted);
      expect(await take(wanted)).toMatchObject({ kind: "busy", limit: { name: "tool.echo.max_concurrent" } });
      first.lease?.release();
      first.lease?.release();
      await granted(wanted);
      expect((await take(wanted)).kind).toBe("busy");
    });

    it("says when slots came back, and of which limits", async () => {
      const heard: SlotLimit[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = limits.store.onFreed((freed) => {
        heard.push(...freed);
        resolve();
      });
      const taken = await granted(plan(slots(1), perMinute(5)));
      taken.lease?.release();
      await promise;
      end();
      expect(heard.map(({ key }) => key)).toContain("tool:echo:max_concurrent");
      expect((await take(plan(slots(1)))).kind).toBe("granted");
    });

    it("needs no lease where there are no slots", async () => {
      expect(await granted(plan(perMinute(1)))).not.toHaveProperty("lease");
    });

    it("counts each tool and each caller by itself", async () => {
      const calls = [
        plan(limitsOf("client", "ann", { maxConcurrent: 1 })),
        plan(limitsOf("client", "bob", { maxConcurrent: 1 })),
      ];
      for (const wanted of [...calls, plan(slots(1, "ann")), plan(slots(1, "bob"))]) {
        expect(await kinds(wanted, 2)).toEqual(["granted", "busy"]);
      }
    });

    it("in shadow refuses nothing, and says what it would have refused", async () => {
      const shadow = limitsOf("client", "ann", { rate: { calls: 2, perMs: MINUTE }, maxConcurrent: 1, shadow: true });
      const wanted = plan(perMinute(4), shadow);
      const exceeded = async () => (await granted(wanted)).exceeded.map(({ name }) => name);
      const first = await granted(wanted);
      expect(first.exceeded).toEqual([]);
      expect(first.states.map((state) => state.name)).toEqual(["tool.echo.rate"]);
      expect(await exceeded()).toEqual(["client.max_concurrent"]);
      expect(await exceeded()).toEqual(["client.rate", "client.max_concurrent"]);
      first.lease?.release();
      expect(await exceeded()).toEqual(["client.rate"]);
      expect((await take(wanted)).kind).toBe("over-rate");
    });

    it("lets through exactly a budget of 100, of 2,000 calls at once", async () => {
      const wanted = plan(limitsOf("global", "", { rate: { calls: 100, perMs: 86_400_000 } }));
      const taken = await Promise.all(Array.from({ length: 2_000 }, () => limits.store.take(wanted)));
      expect(taken.filter(({ kind }) => kind === "granted")).toHaveLength(100);
    });
  });
}
