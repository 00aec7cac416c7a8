import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import type { Tool, ToolAnnotations } from "../tool/tool.ts";
import { type AccessRules, compileAccess, type ToolRule } from "./access.ts";
import { accessKey, isConcealed, isListed, mayCall, refusalOf } from "./authorize.ts";
import type { Caller } from "./call.ts";

const ann: Caller = { id: "ann", admin: false };

/** What `docs/identity.md` says, word for word and without a thought of speed. */
const model = {
  annotation(rule: boolean | undefined, said: boolean | undefined, unsaid: boolean): boolean {
    return rule === undefined || rule === (said === undefined ? unsaid : said);
  },
  fits(rule: ToolRule, { name, toolset, annotations }: Tool): boolean {
    const { readOnly, idempotent, destructive, openWorld }: ToolAnnotations = annotations;
    return (
      (rule.toolset === undefined || rule.toolset === "*" || rule.toolset === toolset) &&
      (rule.tool === undefined || rule.tool === "*" || rule.tool === name) &&
      model.annotation(rule.readOnly, readOnly, false) &&
      model.annotation(rule.idempotent, idempotent, readOnly === true) &&
      model.annotation(rule.destructive, destructive, readOnly !== true) &&
      model.annotation(rule.openWorld, openWorld, true)
    );
  },
  mayCall(scopes: readonly string[] | undefined, { allow, deny }: AccessRules, tool: Tool): boolean {
    for (const scope of tool.scopes) if (scopes !== undefined && !scopes.includes(scope)) return false;
    for (const rule of deny ?? []) if (model.fits(rule, tool)) return false;
    if (allow === undefined) return true;
    for (const rule of allow) if (model.fits(rule, tool)) return true;
    return false;
  },
};

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const flags = { readOnly: some(fc.boolean()), idempotent: some(fc.boolean()), destructive: some(fc.boolean()) };
const annotations = fc.record({ ...flags, openWorld: some(fc.boolean()) });
const rule = fc.record({
  toolset: some(fc.constantFrom("web", "files", "*")),
  tool: some(fc.constantFrom("a", "b", "*")),
  ...flags,
  openWorld: some(fc.boolean()),
}) as fc.Arbitrary<ToolRule>;
const rules = fc.record({
  allow: some(fc.array(rule, { maxLength: 3 })),
  deny: some(fc.array(rule, { maxLength: 2 })),
  list: some(fc.array(rule, { maxLength: 2 })),
  hideForbidden: fc.boolean(),
}) as fc.Arbitrary<AccessRules>;
const scopeList = fc.subarray(["x", "y"]);
const tool = fc
  .record({
    name: fc.constantFrom("a", "b"),
    toolset: fc.constantFrom("web", "files"),
    annotations,
    scopes: scopeList,
  })
  .map((parts) => aTool(parts as Partial<Tool>));

describe("permission", () => {
  it("is what the model says of scopes, allow and deny", () => {
    fc.assert(
      fc.property(some(scopeList), rules, tool, (scopes, said, about) => {
        const caller: Caller = {
          ...ann,
          access: compileAccess(said),
          ...(scopes === undefined ? {} : { scopes: new Set(scopes) }),
        };
        const may = model.mayCall(scopes, said, about);
        expect(mayCall(caller, about)).toBe(may);
        expect(refusalOf(caller, about) === undefined).toBe(may);
        expect(isListed(caller, about)).toBe(may && (said.list?.some((each) => model.fits(each, about)) ?? true));
        expect(isConcealed(caller, about)).toBe(!may && said.hideForbidden === true);
      }),
      { numRuns: 500 },
    );
  });

  it("is unbounded where nothing is said, and only grows narrower with a further deny", () => {
    fc.assert(
      fc.property(rules, rule, tool, (said, more, about) => {
        expect(mayCall(ann, about)).toBe(true);
        const narrower = compileAccess({ ...said, deny: [...(said.deny ?? []), more] });
        if (mayCall({ ...ann, access: narrower }, about)) {
          expect(mayCall({ ...ann, access: compileAccess(said) }, about)).toBe(true);
        }
      }),
    );
  });

  it("says which scopes are missing before it speaks of rules", () => {
    const caller: Caller = { ...ann, scopes: new Set(["x"]), access: compileAccess({ allow: [] }) };
    expect(refusalOf(caller, aTool({ scopes: ["w", "x", "y"] }))).toEqual({ reason: "scopes", missing: ["w", "y"] });
    expect(refusalOf(caller, aTool({ scopes: ["x"] }))).toEqual({ reason: "rules" });
  });

  it("has one key for callers that may do the same", () => {
    const access = () => compileAccess({ deny: [{ tool: "x" }] });
    expect(accessKey(ann)).toBe("");
    expect(accessKey({ ...ann, scopes: new Set(["a", "b"]) })).toBe(accessKey({ ...ann, scopes: new Set(["b", "a"]) }));
    expect(accessKey({ ...ann, access: access() })).toBe(accessKey({ id: "bob", admin: true, access: access() }));
    const keys = [ann, { ...ann, scopes: new Set<string>() }, { ...ann, access: access() }].map(accessKey);
    expect(new Set(keys).size).toBe(3);
  });
});
