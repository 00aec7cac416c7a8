import type { ReadyCall, Reply } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it, vi } from "vitest";
import { type AttemptCall, attemptTimeout } from "./attempt-timeout.ts";

const ANSWER: Reply = { kind: "value", value: 1 };

const suiteClock = createFakeClock();
stageSuite("attempt-timeout", {
  stage: attemptTimeout(suiteClock),
  call: (signal) => aReadyCall({ signal }),
  answer: ANSWER,
  pending: () => suiteClock.pending,
});

/** Starts an attempt that only ends when its signal aborts. */
function start(parts: Partial<ReadyCall>) {
  const clock = createFakeClock();
  const attempts: AttemptCall[] = [];
  const call = { ...aReadyCall({ tool: aTool({ timeoutMs: 5_000 }) }), ...parts };
  const ended = attemptTimeout(clock).run(call, (attempt) => {
    attempts.push(attempt);
    return new Promise((_, reject) => {
      attempt.signal.addEventListener("abort", () => reject(attempt.signal.reason), { once: true });
    });
  });
  return { clock, ended, attempt: attempts[0] as AttemptCall };
}

describe("attempt-timeout", () => {
  it("ends an attempt after the tool's timeout, with a TimeoutError", async () => {
    const { clock, ended, attempt } = start({});
    expect(attempt.timeoutMs).toBe(5_000);
    clock.advance(4_999);
    expect(attempt.signal.aborted).toBe(false);
    clock.advance(1);
    await expect(ended).rejects.toMatchObject({ name: "TimeoutError" });
    expect(clock.pending).toBe(0);
  });

  it("ends it sooner where the caller's deadline comes first, and not later where it comes after", async () => {
    const soon = start({ deadlineAt: 1_500 });
    expect(soon.attempt.timeoutMs).toBe(1_500);
    soon.clock.advance(1_500);
    await expect(soon.ended).rejects.toMatchObject({ name: "TimeoutError" });
    expect(start({ deadlineAt: 60_000 }).attempt.timeoutMs).toBe(5_000);
  });

  it("ends it with the caller's own reason when the caller goes", async () => {
    const gone = new AbortController();
    const { clock, ended, attempt } = start({ signal: gone.signal });
    const reason = new DOMException("The caller went away", "AbortError");
    gone.abort(reason);
    await expect(ended).rejects.toBe(reason);
    expect(attempt.signal.reason).toBe(reason);
    expect(clock.pending).toBe(0);
  });

  it("does not abort an attempt that has ended", async () => {
    const clock = createFakeClock();
    const gone = new AbortController();
    let signal: AbortSignal | undefined;
    await attemptTimeout(clock).run(aReadyCall({ signal: gone.signal }), async (attempt) => {
      signal = attempt.signal;
      return ANSWER;
    });
    gone.abort();
    clock.advance(60_000);
    expect(signal?.aborted).toBe(false);
  });

  it("does not start an attempt after the deadline: nothing was delivered, so it may be tried again", async () => {
    const clock = createFakeClock();
    clock.advance(100);
    const next = vi.fn(async () => ANSWER);
    const run = attemptTimeout(clock).run(aReadyCall({ deadlineAt: 100 }), next);
    await expect(run).rejects.toMatchObject({ code: "BACKEND_UNREACHABLE", retryable: true });
    await expect(run).rejects.toThrow("the backend was not reached for");
    expect(next).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });
});
