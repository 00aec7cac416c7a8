import { factsOf } from "../errors/codes.ts";
import type { ToolgateError } from "../errors/toolgate-error.ts";
import type { Random } from "../ports/clock.ts";
import { isIdempotent, type RetrySpec, type Tool } from "../tool/tool.ts";

/**
 * Whether a failure may be tried again at all: by the table of error codes, by
 * whether a second delivery could do harm, and by the tool's
 * `retryable_errors`, which narrow what is tried again and add statuses of the
 * tool's own errors.
 */
export function isRetryable(tool: Tool, spec: RetrySpec, { code, details }: ToolgateError): boolean {
  const { retryableErrors: named } = spec;
  const names = (name: string) => named.length === 0 || named.includes(name);
  switch (factsOf(code).retry) {
    case "never":
      return false;
    case "any_tool":
      return names("connection_error");
    case "idempotent_tools":
      return isIdempotent(tool) && names("timeout");
    case "by_tool":
      // It was delivered, and may have done something before it failed.
      return isIdempotent(tool) && details.backendAnswer !== undefined && named.includes(details.backendAnswer.status);
  }
}

/**
 * Milliseconds before the attempt after this many. Exponential waits have full
 * jitter, a random part of `initial · 2^(attempts - 1)`, so that calls which
 * failed together do not come back together
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter).
 * Never more than the longest interval.
 */
export function backOffMs(spec: RetrySpec, attempts: number, random: Random): number {
  const { backoff, initialIntervalMs, maxIntervalMs } = spec;
  if (backoff === "fixed") return Math.min(initialIntervalMs, maxIntervalMs);
  return random() * Math.min(maxIntervalMs, initialIntervalMs * 2 ** (attempts - 1));
}

/**
 * How long to wait before the next attempt; unset: there is none.
 *
 * What a backend asks for is waited for where it is no more than the longest
 * interval; else the caller is told, who can do something better meanwhile.
 *
 * @param timeLeftMs until the caller's deadline; infinite where there is none
 */
export function waitBeforeRetry(
  spec: RetrySpec,
  error: ToolgateError,
  { attempts, timeLeftMs, random }: { attempts: number; timeLeftMs: number; random: Random },
): number | undefined {
  if (attempts >= spec.maxAttempts) return undefined;
  const asked = error.details.retryAfterMs ?? 0;
  if (asked > spec.maxIntervalMs) return undefined;
  const wait = Math.max(asked, backOffMs(spec, attempts, random));
  return wait < timeLeftMs ? wait : undefined;
}

/**
 * What keeps retries from making an outage worse: a failure takes one token, a
 * success gives a tenth back, and nothing is tried again while half or more
 * are gone. The rule and its numbers are those of gRPC's retry throttling
 * (https://github.com/grpc/proposal/blob/master/A6-client-retries.md).
 */
export class RetryBudget {
  #tokens = RETRY_TOKENS;

  succeeded(): void {
    this.#tokens = Math.min(RETRY_TOKENS, this.#tokens + TOKENS_BACK);
  }

  /** Counts a failure; answers whether another try is within the budget. */
  failed(): boolean {
    this.#tokens = Math.max(0, this.#tokens - 1);
    return this.#tokens > RETRY_TOKENS / 2;
  }
}

const RETRY_TOKENS = 10;
const TOKENS_BACK = 0.1;
