import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsToKeep, DEFAULT_LOOP_RULES, findLoop, MAX_CYCLE, type PastCall } from "./loops.ts";

const call = fc.record({
  tool: fc.constantFrom("a", "b"),
  args: fc.constantFrom("1", "2", "3"),
  readOnly: fc.boolean(),
  result: fc.constantFrom("x", "y", undefined),
  mayRepeat: fc.boolean(),
});

/** Any session; of one tool all calls are read-only or none is. */
const session = fc.array(call, { minLength: 1, maxLength: 40 }).map((calls) =>
  calls.map(({ tool, args, result, mayRepeat }): PastCall => {
    return { tool, signature: mayRepeat ? "" : tool + args, readOnly: tool === "a", result };
  }),
);

const quiet = { enabled: false, warnAt: 2, refuseAt: 2 };

describe("findLoop", () => {
  it("needs no more calls than callsToKeep says", () => {
    fc.assert(
      fc.property(session, fc.integer({ min: 2, max: 5 }), (calls, at) => {
        const limit = { enabled: true, warnAt: at, refuseAt: at + 1 };
        const rules = { repeat: limit, cycle: limit, sameResult: limit };
        const kept = findLoop(calls.slice(-callsToKeep(rules)), rules);
        const all = findLoop(calls, rules);
        expect([kept?.pattern, kept?.action]).toEqual([all?.pattern, all?.action]);
      }),
    );
  });

  it("warns of a repeat exactly where the last three calls are one, and refuses where the last four are", () => {
    fc.assert(
      fc.property(session, (calls) => {
        const rules = { ...DEFAULT_LOOP_RULES, cycle: quiet, sameResult: quiet };
        const isOne = (count: number) => {
          const last = calls.slice(-count);
          const signatures = new Set(last.map(({ signature }) => signature));
          return last.length === count && signatures.size === 1 && !signatures.has("") && last[0]?.readOnly === true;
        };
        const expected = isOne(4) ? "refuse" : isOne(3) ? "warn" : undefined;
        expect(findLoop(calls, rules)?.action).toBe(expected);
      }),
    );
  });

  it("finds every cycle of read-only calls, wherever it is cut off, and knows its round", () => {
    const rules = { ...DEFAULT_LOOP_RULES, repeat: quiet, sameResult: quiet };
    const cycle = fc.uniqueArray(fc.stringMatching(/^[a-z]{3}$/), { minLength: 2, maxLength: MAX_CYCLE });
    fc.assert(
      fc.property(session, cycle, fc.nat(40), (before, round, more) => {
        const signatures = Array.from({ length: 1 + more }, (_, i) => round[i % round.length] as string);
        const cycling = signatures.map((signature): PastCall => ({ tool: signature, signature, readOnly: true }));
        const roundNow = Math.ceil(cycling.length / round.length);
        const expected = roundNow >= 4 ? "refuse" : roundNow >= 3 ? "warn" : undefined;
        // What came before may be no part of it, as its tools have other names.
        expect(findLoop([...before, ...cycling], rules)?.action).toBe(expected);
      }),
    );
  });

  it("never refuses a call whose tool may repeat, nor one that nothing before is like", () => {
    fc.assert(
      fc.property(session, fc.constantFrom("", "new"), (before, signature) => {
        const last: PastCall = { tool: "n", signature, readOnly: true };
        expect(findLoop([...before, last], DEFAULT_LOOP_RULES)).toBeUndefined();
      }),
    );
  });
});
