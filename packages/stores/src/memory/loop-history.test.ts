import type { BegunCall } from "@toolgate/core";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { loopHistorySuite, SUITE_BOUNDS } from "@toolgate/testkit/loop-history-suite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryLoopHistory } from "./index.ts";

loopHistorySuite("memory", async () => {
  const clock = createFakeClock();
  return {
    history: createMemoryLoopHistory({ clock, ...SUITE_BOUNDS }),
    pass: async (ms) => clock.advance(ms),
    settle: async () => {},
    close: async () => {},
  };
});

/** What a history should be: a list for each session. */
class Model {
  readonly #sessions = new Map<string, { calls: readonly string[]; usedAt: number }>();

  /** The calls that are seen by one that begins now. */
  begin(session: string, call: string, now: number): readonly string[] {
    const known = this.#sessions.get(session);
    const before = known === undefined || now - known.usedAt >= 1_000 ? [] : known.calls;
    const calls = [...before, call].slice(-4);
    this.#sessions.set(session, { calls, usedAt: now });
    return calls;
  }

  withdraw(session: string): void {
    const known = this.#sessions.get(session);
    if (known !== undefined) this.#sessions.set(session, { ...known, calls: known.calls.slice(0, -1) });
  }
}

const step = fc.record({
  pass: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 700 })),
  session: fc.constantFrom("1", "2", "3"),
  ending: fc.constantFrom("run", "not-run", "later"),
});

describe("createMemoryLoopHistory", () => {
  it("answers what a list for each session would, whatever happens in whatever order", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = createFakeClock();
        const history = createMemoryLoopHistory({ clock, calls: 4, sessions: 10, forgetAfterMs: 1_000 });
        const model = new Model();
        for (const [number, { pass, session, ending }] of steps.entries()) {
          clock.advance(pass);
          const signature = String(number);
          const begun = history.begin(session, { tool: "t", signature, readOnly: true }) as BegunCall;
          const expected = model.begin(session, signature, clock.monotonic());
          expect(begun.calls.map((call) => call.signature)).toEqual(expected);
          if (ending === "run") begun.end({});
          if (ending !== "not-run") continue;
          begun.end("not-run");
          model.withdraw(session);
        }
      }),
    );
  });
});
