import { readFileSync } from "node:fs";
import type { JsonValue } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { createPathLanguage } from "./index.ts";

interface ComplianceTest {
  readonly name: string;
  readonly selector: string;
  readonly document?: JsonValue;
  readonly result?: JsonValue[];
  readonly results?: JsonValue[][];
  readonly invalid_selector?: boolean;
}

const suite = JSON.parse(readFileSync(new URL("fixtures/cts.json", import.meta.url), "utf8")) as {
  tests: ComplianceTest[];
};
const paths = createPathLanguage();

describe("the compliance suite of RFC 9535", () => {
  it.each(suite.tests.filter((test) => test.invalid_selector === true))("refuses: $name", ({ selector }) => {
    expect(paths.inspect(selector)).toMatch(/is not a JSONPath|longer than/);
  });

  it.each(suite.tests.filter((test) => test.invalid_selector !== true))("selects: $name", (test) => {
    expect(paths.inspect(test.selector)).toBeUndefined();
    const selected = paths.select(test.selector, test.document as JsonValue);
    const possible = test.results ?? [test.result as JsonValue[]];
    // A singular query gives the value itself here, or nothing.
    expect(
      [[selected], selected === undefined ? [] : selected].some((got) => possible.some((right) => equal(got, right))),
    ).toBe(true);
  });
});

function equal(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}

describe("paths of tool owners", () => {
  it("give the single value for a singular query and a list for any other", () => {
    const data = { data: { temp: 21 }, items: [{ id: 1 }, { id: 2 }] };
    expect(paths.select("$.data.temp", data)).toBe(21);
    expect(paths.select("$.items[*].id", data)).toEqual([1, 2]);
    expect(paths.select("$.data.wind", data)).toBeUndefined();
    expect(paths.select("$.none[*]", data)).toEqual([]);
  });

  it("security-02 (langfuse/langfuse#14258): filters work", () => {
    const data = {
      messages: [
        { role: "user", text: "hi" },
        { role: "model", text: "ho" },
      ],
    };
    expect(paths.select('$.messages[?@.role=="user"].text', data)).toEqual(["hi"]);
  });

  it("keep integers beyond 2^53", () => {
    expect(paths.select("$.id", { id: 1917043659912705296n })).toBe(1917043659912705296n);
  });

  it("cannot be made to hang by a pattern", () => {
    const startedAt = performance.now();
    expect(paths.select('$[?match(@, "(a+)+b")]', [`${"a".repeat(5_000)}!`])).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it("do not see what an object inherits", () => {
    expect(paths.select("$.constructor", {})).toBeUndefined();
    expect(paths.select("$.__proto__", {})).toBeUndefined();
  });

  it("are refused with the place of the fault", () => {
    expect(paths.inspect("$.a[")).toMatch(/^"\$\.a\[" is not a JSONPath \(RFC 9535\): .+ at character \d+$/);
    expect(paths.inspect("data.temp")).toMatch(/is not a JSONPath/);
  });
});
