import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { EnvelopeSchema, type LimitStateSchema } from "@toolgate/contract";
import { describe, expect, it } from "vitest";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

type Limits = readonly MessageInitShape<typeof LimitStateSchema>[];

function headersOf(limits: Limits, retryAfterMs?: number) {
  const error = retryAfterMs === undefined ? {} : { error: { code: "RATE_LIMITED", retryAfterMs } };
  return rateLimitHeaders(create(EnvelopeSchema, { meta: { limits: [...limits] }, ...error }));
}

describe("rateLimitHeaders", () => {
  it("name each limit with its quota and window, and what is left of it", () => {
    const limits = [
      { name: "global.max_qps", limit: 500, remaining: 499, resetMs: 2, windowMs: 1_000 },
      { name: "tool.web_search.rate", limit: 10, remaining: 4, resetMs: 35_001, windowMs: 60_000 },
    ];
    expect(headersOf(limits)).toEqual({
      "ratelimit-policy": '"global.max_qps";q=500;w=1, "tool.web_search.rate";q=10;w=60',
      ratelimit: '"global.max_qps";r=499;t=1, "tool.web_search.rate";r=4;t=36',
    });
  });

  it("point at the moment of Retry-After where a limit is used up", () => {
    const used = { name: "tool.t.rate", limit: 10, remaining: 0, resetMs: 60_000, windowMs: 60_000 };
    expect(headersOf([used], 5_200).ratelimit).toBe('"tool.t.rate";r=0;t=6');
    expect(headersOf([used]).ratelimit).toBe('"tool.t.rate";r=0;t=60');
  });

  it("are left out where nothing counts calls in a time", () => {
    expect(headersOf([])).toEqual({});
    expect(headersOf([{ name: "global.max_concurrent", limit: 5, remaining: 4, resetMs: 0, windowMs: 0 }])).toEqual({});
    expect(rateLimitHeaders(create(EnvelopeSchema))).toEqual({});
  });
});
