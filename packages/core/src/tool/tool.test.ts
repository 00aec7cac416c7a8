import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import { canonicalJson } from "../json/json.ts";
import { backendLabel, definitionAsJson, isIdempotent, isLegalName } from "./tool.ts";

describe("isLegalName", () => {
  it.each(["a", "A-b_c.9", "x".repeat(128), "__proto__", "..", "-"])("allows %s", (name) => {
    expect(isLegalName(name)).toBe(true);
  });

  it.each(["", "a b", "a/b", "é", "a\n", "\n", "x".repeat(129), "a:b"])("refuses %j", (name) => {
    expect(isLegalName(name)).toBe(false);
  });
});

describe("isIdempotent", () => {
  it.each([
    [{}, false],
    [{ readOnly: true }, true],
    [{ idempotent: true }, true],
    [{ readOnly: true, idempotent: false }, false],
    [{ readOnly: false }, false],
    [{ destructive: false }, false],
  ])("%o: %s", (annotations, expected) => {
    expect(isIdempotent({ annotations })).toBe(expected);
  });
});

describe("backendLabel", () => {
  it("is kind:name, and empty without a backend", () => {
    expect(backendLabel({ backend: { kind: "http", name: "search", settings: {} } })).toBe("http:search");
    expect(backendLabel({})).toBe("");
  });
});

describe("definitionAsJson", () => {
  const textOf = (...args: Parameters<typeof aTool>) => canonicalJson(definitionAsJson(aTool(...args)));
  const schema = (text: string) => ({ text, value: JSON.parse(text) });

  it("is the same whether a part is left out or undefined", () => {
    const { check: _check, ...without } = aTool();
    expect(canonicalJson(definitionAsJson({ ...without, annotations: { ...without.annotations } }))).toBe(textOf());
  });

  it("keeps a schema as the text it came in", () => {
    expect(textOf({ inputSchema: schema('{"a":1}') })).not.toBe(textOf({ inputSchema: schema('{ "a": 1 }') }));
    expect(textOf({ inputSchema: schema("{}") })).not.toBe(textOf({ outputSchema: schema("{}") }));
  });

  it("keeps big integers and the key __proto__ of settings", () => {
    const settings = JSON.parse('{"__proto__":{"x":1}}');
    expect(textOf({ backend: { kind: "http", name: "n", settings: { n: 2n ** 64n } } })).toContain(
      '{"n":18446744073709551616}',
    );
    expect(textOf({ backend: { kind: "http", name: "n", settings } })).toContain('{"__proto__":{"x":1}}');
  });
});
