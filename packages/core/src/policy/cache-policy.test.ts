import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import { type CacheRules, cachePolicy } from "./cache-policy.ts";

const OFF: CacheRules = { enabled: true, byTool: {} };
const reading = aTool({ name: "search", annotations: { readOnly: true } });
const silent = aTool({ name: "weather", annotations: {} });

describe("how a tool's results may be kept", () => {
  it("is for the default time where the tool says that it reads, or may run twice", () => {
    const rules = { ...OFF, defaultTtlMs: 60_000 };
    expect(cachePolicy(reading, rules, false)).toEqual({ ttlMs: 60_000, shared: true });
    expect(cachePolicy(aTool({ annotations: { idempotent: true } }), rules, false)?.ttlMs).toBe(60_000);
    expect(cachePolicy(silent, rules, false)).toBeUndefined();
  });

  it("is not at all where nobody says a time", () => {
    expect(cachePolicy(reading, OFF, false)).toBeUndefined();
  });

  it("is the tool's own time before the default, and the operator's before both", () => {
    const tool = aTool({ name: "search", annotations: { readOnly: true }, cacheTtlMs: 5_000 });
    const rules = { ...OFF, defaultTtlMs: 60_000 };
    expect(cachePolicy(tool, rules, false)?.ttlMs).toBe(5_000);
    expect(cachePolicy(tool, { ...rules, byTool: { search: { ttlMs: 7 } } }, false)?.ttlMs).toBe(7);
    expect(cachePolicy(tool, { ...rules, byTool: { search: { ttlMs: 0 } } }, false)).toBeUndefined();
  });

  it("follows a rule also where the tool says nothing, but never against what it says", () => {
    const rules = { ...OFF, byTool: { weather: { ttlMs: 10 } } };
    expect(cachePolicy(silent, rules, false)?.ttlMs).toBe(10);
    for (const annotations of [{ idempotent: false }, { readOnly: false }, { destructive: true }]) {
      expect(cachePolicy(aTool({ name: "weather", annotations }), rules, false)).toBeUndefined();
    }
    expect(cachePolicy(aTool({ name: "constructor", annotations: {} }), rules, false)).toBeUndefined();
  });

  it("needs more than the tool's own time where the tool may not run twice", () => {
    expect(cachePolicy(aTool({ annotations: {}, cacheTtlMs: 5_000 }), OFF, false)).toBeUndefined();
  });

  it("is one caller's own where the backend sees who calls, unless the operator says otherwise", () => {
    const rule = (shared?: boolean): CacheRules => {
      return { ...OFF, byTool: { search: shared === undefined ? { ttlMs: 10 } : { ttlMs: 10, shared } } };
    };
    expect(cachePolicy(reading, rule(), true)?.shared).toBe(false);
    expect(cachePolicy(reading, rule(), false)?.shared).toBe(true);
    expect(cachePolicy(reading, rule(true), true)?.shared).toBe(true);
    expect(cachePolicy(reading, rule(false), false)?.shared).toBe(false);
  });

  it("is not at all where the cache is off, or the agent runs the tool itself", () => {
    const rules = { ...OFF, defaultTtlMs: 60_000 };
    expect(cachePolicy(reading, { ...rules, enabled: false }, false)).toBeUndefined();
    const delegated = aTool({ annotations: { readOnly: true }, execution: "client" });
    expect(cachePolicy(delegated, rules, false)).toBeUndefined();
  });
});
