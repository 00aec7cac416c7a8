const MAX_CANDIDATES = 20_000;
const MAX_LENGTH = 128;
const MAX_EDITS = 8;

/**
 * The names closest to `wanted`, closest first, at most `count`: by edits
 * (insert, drop, replace, swap neighbours), at most a third of the length and
 * at most 8. Letter case and `-`, `_`, `.` count for nothing.
 */
export function nearNames(wanted: string, names: Iterable<string>, count = 3): string[] {
  const target = fold(wanted);
  let limit = Math.min(MAX_EDITS, Math.max(1, Math.floor(target.length / 3)));
  const found: { name: string; edits: number }[] = [];
  let seen = 0;
  for (const name of names) {
    if (++seen > MAX_CANDIDATES) break;
    const edits = editsWithin(target, fold(name), limit);
    if (edits === undefined) continue;
    found.push({ name, edits });
    found.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
    if (found.length > count) found.pop();
    // What comes later must be at least as close as the last of a full list.
    if (found.length === count) limit = found.at(-1)?.edits ?? limit;
  }
  return found.map(({ name }) => name);
}

function fold(name: string): string {
  return name.slice(0, MAX_LENGTH).toLowerCase().replace(/[-_.]/g, "");
}

/** The optimal string alignment distance; `undefined` where it is over the limit. */
function editsWithin(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined;
  const width = b.length + 1;
  // Cells further from the diagonal than the limit are over it; they stay as they are here.
  const table = new Uint8Array(width * (a.length + 1)).fill(limit + 1);
  for (let j = 0; j <= Math.min(limit, b.length); j++) table[j] = j;
  for (let i = 1; i <= a.length; i++) {
    let least = limit + 1;
    for (let j = Math.max(0, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const edits = j === 0 ? i : editsAt(a, b, { table, width, i, j });
      table[i * width + j] = edits;
      least = Math.min(least, edits);
    }
    if (least > limit) return undefined;
  }
  const edits = table.at(-1) as number;
  return edits <= limit ? edits : undefined;
}

interface Cell {
  readonly table: Uint8Array;
  readonly width: number;
  readonly i: number;
  readonly j: number;
}

function editsAt(a: string, b: string, { table, width, i, j }: Cell): number {
  const above = (i - 1) * width + j;
  const replaced = (table[above - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
  const edits = Math.min((table[above] as number) + 1, (table[above + width - 1] as number) + 1, replaced);
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(edits, (table[above - width - 2] as number) + 1) : edits;
}
