import { getEventListeners } from "node:events";
import { ToolgateError } from "@toolgate/core";
import { describe, expect, it, vi } from "vitest";

/** A stage, as the line of dispatch knows it. */
export interface StageUnderTest<In, Out, NextIn, NextOut> {
  readonly name: string;
  run(call: In, next: (call: NextIn) => Promise<NextOut>): Promise<Out>;
}

export interface StageHarness<In extends object, Out, NextIn, NextOut> {
  readonly stage: StageUnderTest<In, Out, NextIn, NextOut>;
  /** A call that the stage hands on, with this signal. */
  readonly call: (signal: AbortSignal) => In;
  /** What comes back from further in. */
  readonly answer: NextOut;
  /** For a stage whose job is to change what comes back: why. */
  readonly changes?: { readonly results?: string; readonly errors?: string };
  /** Timers that the stage has left, for a stage that waits or sets some. Unset: it does neither. */
  readonly pending?: () => number;
}

const ERRORS = [
  ["a ToolgateError", new ToolgateError("TOOL_ERROR", "from further in")],
  ["an unknown error", new TypeError("from further in")],
] as const;

/** What every stage must do, whatever its concern. */
export function stageSuite<In extends object, Out, NextIn, NextOut>(
  name: string,
  harness: StageHarness<In, Out, NextIn, NextOut>,
): void {
  const { stage, answer, changes = {}, pending } = harness;
  /** Runs the stage on a call that nobody may write to. */
  const run = async (next: (call: NextIn) => Promise<NextOut>, gone = new AbortController()) => {
    const call = Object.freeze(harness.call(gone.signal));
    const ended = await Promise.resolve()
      .then(() => stage.run(call, next))
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
    return { ...ended, listeners: getEventListeners(gone.signal, "abort").length, pending: pending?.() ?? 0 };
  };
  /** A test that only some stages can have; a skip says why. */
  const itUnless = (why: string | undefined, title: string, test: () => Promise<void>) => {
    if (why === undefined) it(title, test);
    else it.skip(`${title} (skipped: ${why})`, test);
  };

  describe(`${name}: the suite of every stage`, () => {
    it("has its own name", () => {
      expect(stage.name).toBe(name);
      expect(stage.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    });

    it("hands a call on once", async () => {
      const next = vi.fn(async () => answer);
      expect(await run(next)).toHaveProperty("result");
      expect(next).toHaveBeenCalledTimes(1);
    });

    itUnless(changes.results, "hands back what came from further in", async () => {
      const ended = await run(async () => answer);
      expect("result" in ended && ended.result).toBe(answer);
    });

    for (const [what, error] of ERRORS) {
      itUnless(changes.errors, `lets ${what} through as it is, after one try`, async () => {
        const next = vi.fn(async () => Promise.reject(error));
        const ended = await run(next);
        expect("error" in ended && ended.error).toBe(error);
        expect(next).toHaveBeenCalledTimes(1);
      });
    }

    it("ends at once for a caller that has gone already", async () => {
      const next = vi.fn(async () => answer);
      const gone = new AbortController();
      gone.abort(new DOMException("The caller went away", "AbortError"));
      const ended = await run(next, gone);
      expect(ended).toMatchObject({ listeners: 0, pending: 0 });
      // Where nothing is waited for, whoever waits further in gives up.
      if (pending === undefined) return;
      expect(ended).toMatchObject({ error: { name: "ToolgateError", code: "CANCELLED" } });
      expect(next).not.toHaveBeenCalled();
    });

    it("leaves no timer and no listener behind", async () => {
      expect(await run(async () => answer)).toMatchObject({ listeners: 0, pending: 0 });
      expect(await run(async () => Promise.reject(ERRORS[0][1]))).toMatchObject({ listeners: 0, pending: 0 });
    });
  });
}
