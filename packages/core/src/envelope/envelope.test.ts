import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aCall, aTool } from "../../test/builders.ts";
import { newTrail } from "../call/call.ts";
import { ToolgateError } from "../errors/toolgate-error.ts";
import type { JsonValue } from "../json/json.ts";
import type { ToolEntry } from "../registry/snapshot.ts";
import { fail, ok, pickFields } from "./envelope.ts";

const entry: ToolEntry = {
  tool: aTool({ name: "web_search", toolset: "web", backend: { kind: "http", name: "search", settings: {} } }),
  registrant: { id: "alice", label: "alice" },
  instances: [{ leaseId: "one" }],
};

describe("ok", () => {
  it("carries the data as it is, and what the call's trail says", () => {
    const limit = { name: "tool", limit: 10, remaining: 9, resetMs: 100, windowMs: 60_000 };
    const trail = { ...newTrail(), attempts: 2, queueMs: 0.04, backendMs: 301.26, cached: true, truncated: true };
    trail.warnings.push("slow");
    trail.limits.push(limit);
    const data = { value: { n: 1 }, text: '{ "n": 1 }' };
    const envelope = ok({ kind: "success", data }, { call: aCall({ trail }), entry, now: 420.26 });
    expect(envelope).toEqual({
      status: "success",
      tool: "web_search",
      data,
      meta: {
        callId: "call-1",
        latencyMs: 320.3,
        queueMs: 0,
        backendMs: 301.3,
        cached: true,
        attempts: 2,
        toolset: "web",
        backend: "http:search",
        warnings: ["slow"],
        truncated: true,
        limits: [limit],
      },
    });
  });

  it("says delegated for what the caller runs itself", () => {
    const { backend: _backend, ...tool } = entry.tool;
    const own = { ...entry, tool: { ...tool, execution: "client" as const } };
    const envelope = ok({ kind: "delegated", data: { value: { a: 1 } } }, { call: aCall(), entry: own, now: 100 });
    expect(envelope).toMatchObject({
      status: "delegated",
      data: { value: { a: 1 } },
      meta: { backend: "", attempts: 0 },
    });
  });
});

describe("fail", () => {
  it("names what was asked for where no tool was found", () => {
    const error = new ToolgateError("TOOL_NOT_FOUND", "There is no tool echo.", { nearNames: ["each"] });
    expect(fail(error, { call: aCall(), entry: undefined, now: 101 })).toMatchObject({
      status: "error",
      tool: "echo",
      error: {
        code: "TOOL_NOT_FOUND",
        class: "argument",
        message: "There is no tool echo.",
        retryable: false,
        violations: [],
        nearNames: ["each"],
      },
      meta: { toolset: "", backend: "", latencyMs: 1 },
    });
  });

  it("rounds the wait up, and never below nothing", () => {
    const wait = (retryAfterMs: number) => {
      const error = new ToolgateError("RATE_LIMITED", "", { retryAfterMs });
      const envelope = fail(error, { call: aCall(), entry, now: 100 });
      return envelope.status === "error" ? envelope.error.retryAfterMs : undefined;
    };
    expect([wait(5200.1), wait(0), wait(-3)]).toEqual([5201, 0, 0]);
  });

  it("passes on the backend's answer and violations, and keeps the cause in", () => {
    const backendAnswer = { status: "404", body: "no such city" };
    const violations = [{ path: "/city", expected: "string", got: "integer" }];
    const error = new ToolgateError("TOOL_ERROR", "The tool said no.", { backendAnswer, violations, cause: "secret" });
    const envelope = fail(error, { call: aCall(), entry, now: 100 });
    expect(envelope).toMatchObject({ error: { backendAnswer, violations } });
    expect(JSON.stringify(envelope)).not.toContain("secret");
    expect(Object.keys(envelope.status === "error" ? envelope.error : {})).not.toContain("retryAfterMs");
  });
});

describe("pickFields", () => {
  const value = { a: { b: 1, c: 2 }, list: [{ id: 1, x: { y: 1 } }, { id: 2 }, "text"], n: null };

  it.each<[string[], JsonValue]>([
    [["a"], { a: { b: 1, c: 2 } }],
    [["a.b"], { a: { b: 1 } }],
    [["a.b", "a"], { a: { b: 1, c: 2 } }],
    [["a.c", "n"], { a: { c: 2 }, n: null }],
    [["list.id"], { list: [{ id: 1 }, { id: 2 }, null] }],
    [["list.x.y", "list.id"], { list: [{ id: 1, x: { y: 1 } }, { id: 2 }, null] }],
    [[], value],
  ])("keeps %j", (fields, expected) => {
    expect(pickFields(value, fields)).toEqual({ value: expected, missing: [] });
  });

  it("names the paths that lead nowhere, and makes nothing up for them", () => {
    const picked = pickFields(value, ["a.b", "a.zzz", "n.deep", "a.b.c", "list.none", ""]);
    expect(picked.missing).toEqual(["a.zzz", "n.deep", "a.b.c", "list.none", ""]);
    expect(picked.value).toEqual({ a: { b: 1 }, list: [{}, {}, null] });
    expect(pickFields({ a: 5 }, ["a.b"])).toEqual({ value: {}, missing: ["a.b"] });
    expect(pickFields(5, ["a"])).toEqual({ value: null, missing: ["a"] });
  });

  it("picks from each element of an array at the top, also of an empty one", () => {
    expect(pickFields([{ a: 1, b: 2 }, { b: 3 }], ["a"])).toEqual({ value: [{ a: 1 }, {}], missing: [] });
    expect(pickFields([], ["a"])).toEqual({ value: [], missing: [] });
  });

  it("security-12 (node-config#906): sees own keys only", () => {
    const tricky = JSON.parse('{"__proto__":{"x":1},"a":1}') as JsonValue;
    expect(pickFields({ a: 1 }, ["__proto__", "constructor.name", "toString"]).missing).toHaveLength(3);
    const { value: picked, missing } = pickFields(tricky, ["__proto__.x"]);
    expect([JSON.stringify(picked), missing]).toEqual(['{"__proto__":{"x":1}}', []]);
  });

  it("keeps everything when every top-level key is named, and big integers as they are", () => {
    const keyName = fc.string({ minLength: 1 }).filter((name) => !name.includes("."));
    const anyObject = fc.dictionary(keyName, fc.oneof(fc.integer(), fc.bigInt(), fc.array(fc.string())), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(anyObject, (object) => {
        expect(pickFields(object, Object.keys(object))).toEqual({ value: { ...object }, missing: [] });
      }),
    );
  });
});
