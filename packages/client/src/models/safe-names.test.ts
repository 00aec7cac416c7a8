import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NameRule, safeNames } from "./safe-names.ts";

const RULE: NameRule = { illegal: /[^A-Za-z0-9_-]/, letterFirst: false, maxLength: 64 };
const LETTER_FIRST: NameRule = { ...RULE, letterFirst: true };

const safeOf = (names: readonly string[], rule = RULE) => Object.fromEntries(safeNames(names, rule));

describe("safeNames", () => {
  it("leaves what is legal alone", () => {
    expect(safeOf(["a", "get_Weather-2", "__proto__", "x".repeat(64)])).toEqual(
      Object.fromEntries(["a", "get_Weather-2", "__proto__", "x".repeat(64)].map((name) => [name, name])),
    );
  });

  it.each([
    ["catalog.get-entity-facets", "catalog_get-entity-facets"],
    ["get_/api/users/{id}", "get__api_users_id_"],
    ["météo_prévision", "meteo_prevision"],
    ["a*", "a_"],
  ])("makes a legal name of %s", (name, safe) => {
    expect(safeOf([name])).toEqual({ [name]: safe });
  });

  it("names what holds nothing legal by a digest", () => {
    const safe = safeOf(["天气查询", "🌤️", ""]);
    for (const name of Object.values(safe)) expect(name).toMatch(/^tool_[0-9a-z]{8}$/);
    expect(new Set(Object.values(safe)).size).toBe(3);
  });

  it("lets nobody else have the name of a legal one", () => {
    const safe = safeOf(["a_b", "a.b", "a/b"]);
    expect(safe.a_b).toBe("a_b");
    expect(safe["a.b"]).toMatch(/^a_b_[0-9a-z]{8}$/);
    expect(safe["a/b"]).toMatch(/^a_b_[0-9a-z]{8}$/);
    expect(safe["a.b"]).not.toBe(safe["a/b"]);
  });

  it("does not depend on one's neighbours where the name is too long", () => {
    const long = "x".repeat(70);
    expect(safeOf([long])[long]).toBe(safeOf([long, "x".repeat(71)])[long]);
    expect(safeOf([long])[long]).toHaveLength(64);
  });

  it("finds another name where someone has the one with the digest", () => {
    const taken = safeOf(["a_b", "a.b"])["a.b"] as string;
    const safe = safeOf(["a_b", "a.b", taken]);
    expect(safe[taken]).toBe(taken);
    expect(safe["a.b"]).toMatch(/^a_b_[0-9a-z]{8}$/);
    expect(safe["a.b"]).not.toBe(taken);
  });

  it("puts a letter or underscore first where one must be", () => {
    expect(safeOf(["123", "-x", "_ok"], LETTER_FIRST)).toEqual({ 123: "_123", "-x": "_-x", _ok: "_ok" });
    expect(safeOf(["123", "_123"], LETTER_FIRST)._123).toBe("_123");
  });

  it("is legal, unique and the same in any order, for any names", () => {
    const name = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.stringMatching(/^[a.b/_]{1,6}$/));
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.boolean(), (names, letterFirst) => {
        const rule = { ...RULE, letterFirst };
        const safe = safeNames(names, rule);
        const given = [...safe.values()];
        expect(new Set(given).size).toBe(names.length);
        for (const one of given)
          expect(one).toMatch(letterFirst ? /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/ : /^[A-Za-z0-9_-]{1,64}$/);
        expect(new Map([...safeNames(names.toReversed(), rule)].toSorted())).toEqual(new Map([...safe].toSorted()));
      }),
    );
  });
});
