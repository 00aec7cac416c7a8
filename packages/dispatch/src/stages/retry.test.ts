import { type ReadyCall, type Reply, type RetrySpec, ToolgateError } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { retry } from "./retry.ts";

const ANSWER: Reply = { kind: "value", value: 1 };
const SPEC: RetrySpec = {
  maxAttempts: 3,
  backoff: "exponential",
  initialIntervalMs: 100,
  maxIntervalMs: 2_000,
  retryableErrors: [],
};
const unreachable = () => new ToolgateError("BACKEND_UNREACHABLE", "Connection refused.");

const suiteClock = createFakeClock();
stageSuite("retry", {
  stage: retry({ clock: suiteClock, random: () => 0.5 }),
  call: (signal) => aReadyCall({ signal, tool: aTool({ retry: SPEC }) }),
  answer: ANSWER,
  pending: () => suiteClock.pending,
});

/** Runs a call whose attempts fail as they are told to, and then succeed. */
function start(failures: readonly Error[], parts: Partial<ReadyCall> = {}, spec: Partial<RetrySpec> = {}) {
  const clock = createFakeClock();
  const attempts: number[] = [];
  const call = { ...aReadyCall({ tool: aTool({ retry: { ...SPEC, ...spec }, annotations: {} }) }), ...parts };
  const ended = retry({ clock, random: () => 0.5 })
    .run(call, async () => {
      const failure = failures[attempts.length];
      attempts.push(clock.monotonic());
      if (failure !== undefined) throw failure;
      return ANSWER;
    })
    .catch((error: unknown) => error);
  return { clock, attempts, ended };
}

describe("retry", () => {
  it("tries again after the back-off, until it succeeds", async () => {
    const { clock, attempts, ended } = start([unreachable(), unreachable()]);
    await clock.advanceAsync(1_000);
    expect(await ended).toBe(ANSWER);
    expect(attempts).toEqual([0, 50, 150]);
  });

  it("gives the last error when its attempts are used up", async () => {
    const errors = [unreachable(), unreachable(), unreachable(), unreachable()];
    const { clock, attempts, ended } = start(errors);
    await clock.advanceAsync(10_000);
    expect(await ended).toBe(errors[2]);
    expect(attempts).toHaveLength(3);
  });

  it("does not touch what must not run twice", async () => {
    const error = new ToolgateError("OUTCOME_UNKNOWN", "The answer was lost.");
    const { attempts, ended } = start([error]);
    expect(await ended).toBe(error);
    expect(attempts).toHaveLength(1);
  });

  it("gives up at once where the wait would pass the caller's deadline", async () => {
    const error = unreachable();
    const { clock, attempts, ended } = start([error], { deadlineAt: 50 });
    expect(await ended).toBe(error);
    expect([attempts.length, clock.monotonic(), clock.pending]).toEqual([1, 0, 0]);
  });

  it("ends with the caller, also between attempts, and leaves no timer", async () => {
    const gone = new AbortController();
    const { clock, attempts, ended } = start([unreachable()], { signal: gone.signal });
    await clock.advanceAsync(10);
    gone.abort();
    expect(await ended).toMatchObject({ code: "CANCELLED" });
    expect([attempts.length, clock.pending]).toEqual([1, 0]);
  });

  it("stops for a tool that fails all the time", async () => {
    const clock = createFakeClock();
    const stage = retry({ clock, random: () => 0 });
    const call = aReadyCall({ tool: aTool({ retry: SPEC }) });
    let attempts = 0;
    for (let calls = 0; calls < 20; calls += 1) {
      const failing = stage.run(call, async () => {
        attempts += 1;
        throw unreachable();
      });
      const ended = expect(failing).rejects.toMatchObject({ code: "BACKEND_UNREACHABLE" });
      await clock.advanceAsync(10_000);
      await ended;
    }
    // Four failures of its ten tokens are tried again; then every call has its one attempt.
    expect(attempts).toBeLessThanOrEqual(20 + 4);
    expect(attempts).toBeGreaterThan(20);
  });
});
