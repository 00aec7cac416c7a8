/** The middle of some numbers; the mean of the two in the middle where there is none. NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return Number.NaN;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/**
 * The lower quartile, for CPU times: whatever disturbs a measurement (neighbours, caches gone cold) only ever
 * adds to them, so the low ones are the near ones. The lowest itself would be luck.
 */
export function lowerQuartile(numbers: readonly number[]): number {
  return percentile(
    [...numbers].sort((a, b) => a - b),
    0.25,
  );
}

/** The value that `share` (0 to 1) of the numbers do not exceed (nearest rank). NaN of none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** How much `y` grows with each `x`, by least squares. NaN of fewer than two points. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return over / under;
}
