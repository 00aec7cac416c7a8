/** A table for a terminal: the first column to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const cell = (text: string, column: number) => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  const rule = widths.map((width) => "─".repeat(width)).join("──");
  const [first, ...rest] = lines.map((line) => line.map(cell).join("  ").trimEnd());
  return [first, rule, ...rest].join("\n");
}

/** A number with so many digits behind the point; "–" where there is none. */
export function figure(value: number | undefined, digits = 0): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
