import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lowerQuartile, median, percentile, slope } from "./numbers.ts";

describe("median", () => {
  it("is the middle, whatever the order", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});

describe("percentile", () => {
  it("is the nearest rank", () => {
    const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(percentile(ten, 0.5)).toBe(5);
    expect(percentile(ten, 0.99)).toBe(10);
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it("is one of the numbers, and never less than that of a smaller share", () => {
    const numbers = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(numbers, share, share, (unsorted, one, other) => {
        const sorted = [...unsorted].sort((a, b) => a - b);
        const [low, high] = [percentile(sorted, Math.min(one, other)), percentile(sorted, Math.max(one, other))];
        expect(sorted).toContain(low);
        expect(low).toBeLessThanOrEqual(high);
      }),
    );
  });
});

describe("lowerQuartile", () => {
  it("takes no notice of what was disturbed", () => {
    expect(lowerQuartile([900, 100, 102, 700, 101, 500, 800, 600])).toBe(101);
    expect(lowerQuartile([5])).toBe(5);
  });
});

describe("slope", () => {
  it("is the growth with each step", () => {
    expect(
      slope([
        [0, 10],
        [1, 12],
        [2, 14],
      ]),
    ).toBe(2);
    expect(
      slope([
        [0, 5],
        [10, 5],
      ]),
    ).toBe(0);
    expect(slope([[1, 1]])).toBeNaN();
  });
});
