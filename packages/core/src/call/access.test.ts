import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import { type AccessRules, compileAccess, type ToolRule } from "./access.ts";

const permits = (rules: AccessRules, parts: Parameters<typeof aTool>[0] = {}) =>
  compileAccess(rules).permits(aTool(parts));

describe("rules of names", () => {
  it.each([
    ["web_search", "web_search", true],
    ["web_search", "web_Search", false],
    ["web_search", "web_search2", false],
    ["web_*", "web_search", true],
    ["web_*", "web_", true],
    ["web_*", "web", false],
    ["*_delete", "repo_delete", true],
    ["*_delete", "repo_delete_all", false],
    ["*", "anything", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "a-c-b", false],
    ["*ab*ab", "ab", false],
    ["**", "x", true],
    [".", "x", false],
    ["w.b", "web", false],
  ])("%j fits %j: %s", (tool, name, expected) => {
    expect(permits({ allow: [{ tool }] }, { name })).toBe(expected);
    expect(permits({ allow: [{ toolset: tool }] }, { toolset: name })).toBe(expected);
  });

  it("compares with a pattern as a regular expression would, and is quick with one that would keep that busy", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 12 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pattern, letters, (tool, name) => {
        const model = new RegExp(`^${tool.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
        expect(permits({ allow: [{ tool }] }, { name })).toBe(model.test(name));
      }),
    );
    const hard = `${"*a".repeat(63)}b`;
    expect(permits({ allow: [{ tool: hard }] }, { name: "a".repeat(128) })).toBe(false);
  });
});

describe("rules of annotations", () => {
  it.each<[ToolRule, Parameters<typeof aTool>[0], boolean]>([
    [{ readOnly: true }, { annotations: { readOnly: true } }, true],
    [{ readOnly: true }, { annotations: {} }, false],
    [{ readOnly: false }, { annotations: {} }, true],
    [{ idempotent: true }, { annotations: { readOnly: true } }, true],
    [{ idempotent: true }, { annotations: {} }, false],
    [{ destructive: true }, { annotations: {} }, true],
    [{ destructive: true }, { annotations: { readOnly: true } }, false],
    [{ destructive: false }, { annotations: { destructive: false } }, true],
    [{ openWorld: true }, { annotations: {} }, true],
    [{ openWorld: false }, { annotations: { openWorld: false } }, true],
  ])("%j fits %j: %s, for what is unsaid is read with care", (rule, parts, expected) => {
    expect(permits({ allow: [rule] }, parts)).toBe(expected);
  });
});

describe("rules together", () => {
  it("allow nothing with an empty list, and anything without one", () => {
    expect(permits({ allow: [] })).toBe(false);
    expect(permits({})).toBe(true);
    expect(permits({ deny: [] })).toBe(true);
  });

  it("deny what is allowed", () => {
    expect(permits({ allow: [{ tool: "echo" }], deny: [{ toolset: "demo" }] })).toBe(false);
  });

  it("list apart from what they permit (agentgateway/agentgateway#772)", () => {
    const access = compileAccess({ list: [{ tool: "web_*" }] });
    expect(access.permits(aTool())).toBe(true);
    expect(access.lists(aTool())).toBe(false);
    expect(access.lists(aTool({ name: "web_search" }))).toBe(true);
  });

  it("have one key for the same rules, and others for others", () => {
    const key = (rules: AccessRules) => compileAccess(rules).key;
    expect(key({ allow: [{ tool: "a" }] })).toBe(key({ allow: [{ tool: "a" }], deny: [] }));
    expect(new Set([key({}), key({ allow: [] }), key({ list: [] }), key({ hideForbidden: true })]).size).toBe(4);
  });
});
