const MAX_CANDIDATES = 20_000;

/**
 * The names closest to `wanted`, closest first, at most `count`: by edits
 * (insert, drop, replace, swap neighbours), at most a third of the length.
 * Letter case and `-`, `_`, `.` count for nothing.
 */
export function nearNames(wanted: string, names: Iterable<string>, count = 3): string[] {
  const target = fold(wanted);
  const limit = Math.max(1, Math.floor(target.length / 3));
  const found: { name: string; edits: number }[] = [];
  let seen = 0;
  for (const name of names) {
    if (++seen > MAX_CANDIDATES) break;
    const edits = editsWithin(target, fold(name), limit);
    if (edits !== undefined) found.push({ name, edits });
  }
  found.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
  return found.slice(0, count).map(({ name }) => name);
}

function fold(name: string): string {
  return name.slice(0, 128).toLowerCase().replace(/[-_.]/g, "");
}

/** Optimal string alignment distance; `undefined` where it is over the limit. */
function editsWithin(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cell(a, b, i, j, { before, previous, row }));
    if (Math.min(...row) > limit) return undefined;
    before = previous;
    previous = row;
  }
  const edits = previous[b.length] as number;
  return edits <= limit ? edits : undefined;
}

interface Rows {
  readonly before: readonly number[];
  readonly previous: readonly number[];
  readonly row: readonly number[];
}

function cell(a: string, b: string, i: number, j: number, rows: Rows): number {
  const at = (row: readonly number[], k: number) => row[k] ?? Number.POSITIVE_INFINITY;
  const replaced = at(rows.previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
  const edits = Math.min(at(rows.previous, j) + 1, at(rows.row, j - 1) + 1, replaced);
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(edits, at(rows.before, j - 2) + 1) : edits;
}
