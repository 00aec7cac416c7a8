import { describe, expect, it } from "vitest";
import { ERROR_CODES, factsOf } from "./codes.ts";

/** What callers rely on: class, HTTP status, retry by the gateway. */
const CONTRACT = {
  INVALID_ARGUMENT: ["argument", 400, "never"],
  TOOL_NOT_FOUND: ["argument", 404, "never"],
  PERMISSION_DENIED: ["permission", 403, "never"],
  BLOCKED: ["permission", 403, "never"],
  LOOP_DETECTED: ["argument", 409, "never"],
  RATE_LIMITED: ["rate", 429, "never"],
  OVERLOADED: ["rate", 429, "never"],
  TOOL_UNAVAILABLE: ["tool", 503, "never"],
  CIRCUIT_OPEN: ["network", 503, "never"],
  BACKEND_UNREACHABLE: ["network", 502, "any_tool"],
  BACKEND_TIMEOUT: ["network", 504, "idempotent_tools"],
  OUTCOME_UNKNOWN: ["network", 502, "never"],
  TOOL_ERROR: ["tool", 502, "by_tool"],
  RESULT_INVALID: ["tool", 502, "never"],
  RESULT_TOO_LARGE: ["tool", 502, "never"],
  CANCELLED: ["network", 499, "never"],
  INTERNAL: ["tool", 500, "never"],
};

describe("the table of error codes", () => {
  it("has every code of the contract, with its class, HTTP status and retry, and no other", () => {
    const table = Object.entries(ERROR_CODES).map(([code, facts]) => [code, [facts.class, facts.http, facts.retry]]);
    expect(Object.fromEntries(table)).toEqual(CONTRACT);
  });

  it("says what each code means, in a sentence", () => {
    for (const { meaning } of Object.values(ERROR_CODES)) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  it("never asks a caller to repeat what may have run", () => {
    expect(factsOf("OUTCOME_UNKNOWN").callerMayRetry).toBe(false);
    expect(factsOf("INVALID_ARGUMENT").callerMayRetry).toBe(false);
    expect(factsOf("RATE_LIMITED").callerMayRetry).toBe(true);
  });
});
