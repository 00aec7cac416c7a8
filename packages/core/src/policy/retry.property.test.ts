import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import { ERROR_CODES, type ErrorCode } from "../errors/codes.ts";
import { ToolgateError } from "../errors/toolgate-error.ts";
import type { RetrySpec } from "../tool/tool.ts";
import { backOffMs, isRetryable, RetryBudget, waitBeforeRetry } from "./retry.ts";

const SPEC: RetrySpec = {
  maxAttempts: 3,
  backoff: "exponential",
  initialIntervalMs: 100,
  maxIntervalMs: 2_000,
  retryableErrors: [],
};
const [idempotent, unsaid] = [aTool({ annotations: { idempotent: true } }), aTool({ annotations: {} })];
const codes = Object.keys(ERROR_CODES) as ErrorCode[];
const errors = fc
  .tuple(fc.constantFrom(...codes), fc.option(fc.constantFrom("503", "404", "UNAVAILABLE"), { nil: undefined }))
  .map(([code, status]) => {
    const answer = status === undefined ? {} : { backendAnswer: { status, body: "" } };
    return new ToolgateError(code, "It failed.", answer);
  });
const names = fc.array(fc.constantFrom("timeout", "connection_error", "503", "404", "UNAVAILABLE"));
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("what is tried again", () => {
  it("is only what was never delivered, for a tool that is not idempotent", () => {
    fc.assert(
      fc.property(errors, names, (error, retryableErrors) => {
        if (isRetryable(unsaid, { ...SPEC, retryableErrors }, error)) expect(error.code).toBe("BACKEND_UNREACHABLE");
      }),
    );
  });

  it.each([
    ["BACKEND_UNREACHABLE", [], true],
    ["BACKEND_UNREACHABLE", ["connection_error"], true],
    ["BACKEND_UNREACHABLE", ["timeout"], false],
    ["BACKEND_TIMEOUT", [], true],
    ["BACKEND_TIMEOUT", ["timeout"], true],
    ["BACKEND_TIMEOUT", ["503"], false],
    ["TOOL_ERROR", [], false],
    ["TOOL_ERROR", ["503"], true],
    ["TOOL_ERROR", ["502"], false],
    ["RATE_LIMITED", ["429", "503"], false],
    ["OUTCOME_UNKNOWN", ["timeout", "connection_error"], false],
    ["CANCELLED", [], false],
  ] as const)("of an idempotent tool: %s with %j is %s", (code, retryableErrors, expected) => {
    const error = new ToolgateError(code, "It failed.", { backendAnswer: { status: "503", body: "" } });
    expect(isRetryable(idempotent, { ...SPEC, retryableErrors }, error)).toBe(expected);
  });
});

describe("back-off", () => {
  it("stays within its bounds, and reaches the longest interval and nothing above", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), random, (attempts, share) => {
        const wait = backOffMs(SPEC, attempts, () => share);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(Math.min(2_000, 100 * 2 ** (attempts - 1)));
      }),
    );
    expect([1, 2, 3, 9].map((attempts) => backOffMs(SPEC, attempts, () => 0.5))).toEqual([50, 100, 200, 1_000]);
  });

  it("is the same each time where it is fixed", () => {
    expect([1, 5].map((attempts) => backOffMs({ ...SPEC, backoff: "fixed" }, attempts, () => 0.3))).toEqual([100, 100]);
  });
});

describe("waiting before the next attempt", () => {
  const failed = (retryAfterMs?: number) =>
    new ToolgateError("TOOL_ERROR", "It failed.", retryAfterMs === undefined ? {} : { retryAfterMs });

  it("never passes the caller's deadline, the number of attempts or the longest interval", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: -100, max: 5_000, noNaN: true }),
        random,
        fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
        (attempts, timeLeftMs, share, asked) => {
          const wait = waitBeforeRetry(SPEC, failed(asked), { attempts, timeLeftMs, random: () => share });
          if (wait === undefined) return;
          expect(attempts).toBeLessThan(3);
          expect(wait).toBeLessThan(timeLeftMs);
          expect(wait).toBeLessThanOrEqual(2_000);
          expect(wait).toBeGreaterThanOrEqual(asked ?? 0);
        },
      ),
    );
  });

  it("waits as long as the backend asks for, or leaves that to the caller", () => {
    const rest = { attempts: 1, timeLeftMs: Number.POSITIVE_INFINITY, random: () => 0 };
    expect(waitBeforeRetry(SPEC, failed(1_500), rest)).toBe(1_500);
    expect(waitBeforeRetry(SPEC, failed(2_001), rest)).toBeUndefined();
  });
});

describe("the retry budget", () => {
  it("lets four failures in a row be tried again, and more only after successes", () => {
    const budget = new RetryBudget();
    expect([1, 2, 3, 4, 5, 6].map(() => budget.failed())).toEqual([true, true, true, true, false, false]);
    for (let calls = 0; calls < 21; calls += 1) budget.succeeded();
    expect(budget.failed()).toBe(true);
    expect(budget.failed()).toBe(false);
  });

  it("allows at most one retry for ten successes, and a few", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (ended) => {
        const budget = new RetryBudget();
        const retries = ended.filter((ok) => (ok ? void budget.succeeded() : budget.failed())).length;
        expect(retries).toBeLessThanOrEqual(5 + ended.filter(Boolean).length / 10);
      }),
    );
  });
});
