import { describe, expect, it } from "vitest";
import { describeCoercions } from "./describe-coercions.ts";

describe("describeCoercions", () => {
  it("names the place, what was there and what it was read as", () => {
    expect(
      describeCoercions([
        { path: "/days", from: "3", to: 3 },
        { path: "/id", from: "9007199254740993", to: 9007199254740993n },
        { path: "/unit", from: null },
        { path: "/maybe", from: "null", to: null },
      ]),
    ).toEqual([
      'Argument /days: "3" was read as 3.',
      'Argument /id: "9007199254740993" was read as 9007199254740993.',
      "Argument /unit: null was left out, since it is optional and takes no null.",
      'Argument /maybe: "null" was read as null.',
    ]);
  });

  it("says at most twenty, and how many more there were", () => {
    const changes = (count: number) => Array.from({ length: count }, (_, i) => ({ path: `/${i}`, from: "1", to: 1 }));
    expect(describeCoercions(changes(20))).toHaveLength(20);
    const told = describeCoercions(changes(100));
    expect(told).toHaveLength(21);
    expect(told[19]).toBe('Argument /19: "1" was read as 1.');
    expect(told[20]).toBe("Arguments: 80 more were changed in such ways.");
  });

  it("quotes only the beginning of what is long", () => {
    const long = "x".repeat(100_000);
    const [told] = describeCoercions([{ path: `/${long}`, from: long, to: [long] }]);
    expect(told?.length).toBeLessThan(400);
  });
});
