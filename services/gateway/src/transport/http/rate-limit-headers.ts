import type { Envelope, LimitState } from "@toolgate/contract";
import { retryAfterOf } from "./json.ts";

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11)
 * of the limits that count calls in a time: their names as in `meta.limits`,
 * times in whole seconds, rounded up. Empty where there are none.
 */
export function rateLimitHeaders(envelope: Envelope): Readonly<Record<string, string>> {
  const limits = envelope.meta?.limits.filter(({ windowMs }) => windowMs > 0) ?? [];
  if (limits.length === 0) return {};
  const retryAfter = retryAfterOf(envelope);
  return {
    "ratelimit-policy": limits
      .map(({ name, limit, windowMs }) => `"${name}";q=${limit};w=${seconds(windowMs)}`)
      .join(", "),
    ratelimit: limits.map((state) => `"${state.name}";r=${state.remaining};t=${resetOf(state, retryAfter)}`).join(", "),
  };
}

/** Of a limit that is used up, the same moment as in `Retry-After`, as the draft asks. */
function resetOf({ remaining, resetMs }: LimitState, retryAfter: string | undefined): string | number {
  return remaining === 0 && retryAfter !== undefined ? retryAfter : seconds(resetMs);
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
