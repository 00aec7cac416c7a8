import { type ReadyCall, ToolgateError } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { describe, expect, it } from "vitest";
import { SharedCalls } from "./shared-calls.ts";

const tool = aTool({ annotations: { readOnly: true } });

/** Calls whose answers come when the test says so. */
function open() {
  const clock = createFakeClock();
  const shared = new SharedCalls<string>(clock);
  const runs: { call: ReadyCall; answer: (text: string) => void; fail: (error: Error) => void }[] = [];
  const start = (call: ReadyCall) =>
    new Promise<string>((answer, fail) => {
      runs.push({ call, answer, fail });
      call.signal.addEventListener("abort", () => fail(new ToolgateError("CANCELLED", "ended inside")));
    });
  const ask = (parts: ReadyParts = {}) => {
    const gone = new AbortController();
    const answer = shared.run("k", aReadyCall({ tool, signal: gone.signal, ...parts }), start);
    answer.catch(() => {});
    return { answer, go: () => gone.abort(new DOMException("gone", "AbortError")) };
  };
  const at = (place: number) => runs[place] ?? expect.fail(`There is no run ${place}.`);
  return { clock, shared, runs, ask, at };
}

describe("equal calls under way", () => {
  it("share one answer, and the next one is made anew", async () => {
    const { ask, runs, at, shared } = open();
    const all = [ask(), ask(), ask()];
    expect(runs).toHaveLength(1);
    at(0).answer("one");
    expect(await Promise.all(all.map(({ answer }) => answer))).toEqual(["one", "one", "one"]);
    expect(shared.has("k")).toBe(false);
    const next = ask();
    at(1).answer("two");
    expect(await next.answer).toBe("two");
  });

  it("share one failure", async () => {
    const { ask, at } = open();
    const all = [ask(), ask()];
    const error = new ToolgateError("TOOL_ERROR", "no");
    at(0).fail(error);
    for (const { answer } of all) await expect(answer).rejects.toBe(error);
  });

  it("go on when one of them goes away, also the first", async () => {
    const { ask, at } = open();
    const first = ask();
    const second = ask();
    first.go();
    await expect(first.answer).rejects.toMatchObject({ code: "CANCELLED" });
    expect(at(0).call.signal.aborted).toBe(false);
    at(0).answer("one");
    expect(await second.answer).toBe("one");
  });

  it("are ended with the last one, which is told how far they got", async () => {
    const { ask, at, shared } = open();
    const all = [ask(), ask()];
    for (const { go } of all) go();
    expect(at(0).call.signal.aborted).toBe(true);
    await expect(all[1]?.answer).rejects.toThrow("ended inside");
    expect(shared.has("k")).toBe(false);
  });

  it("wait no longer than each caller's own deadline", async () => {
    const { ask, at, clock } = open();
    const patient = ask({ deadlineAt: 60_000 });
    const hasty = ask({ deadlineAt: 100 });
    clock.advance(100);
    await expect(hasty.answer).rejects.toMatchObject({ code: "BACKEND_TIMEOUT" });
    at(0).answer("one");
    expect(await patient.answer).toBe("one");
    expect(clock.pending).toBe(0);
  });

  it("are asked once more by those who have time left when the first one's time is over", async () => {
    const { ask, at, runs, clock } = open();
    const hasty = ask({ deadlineAt: 100 });
    const patient = ask({ deadlineAt: 60_000 });
    clock.advance(100);
    at(0).fail(new ToolgateError("BACKEND_TIMEOUT", "too late"));
    await expect(hasty.answer).rejects.toThrow("too late");
    await Promise.resolve();
    expect(runs).toHaveLength(2);
    expect(at(1).call.deadlineAt).toBe(60_000);
    at(1).answer("two");
    expect(await patient.answer).toBe("two");
  });

  it("leave no listener on a caller's signal", async () => {
    const { ask, at, clock } = open();
    const all = [ask({ deadlineAt: 500 }), ask({ deadlineAt: 400 })];
    at(0).answer("one");
    await Promise.all(all.map(({ answer }) => answer));
    expect(clock.pending).toBe(0);
  });
});
