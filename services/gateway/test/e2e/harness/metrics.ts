/** One line of Prometheus's exposition format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads /metrics of an admin port. */
export async function readMetrics(admin: string): Promise<readonly Sample[]> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  return text.split("\n").flatMap((line) => {
    const match = LINE.exec(line);
    if (match === null) return [];
    const [, name = "", labels = "", value] = match;
    const pairs = [...labels.matchAll(LABEL)].map(([, key, text]) => [key, JSON.parse(`"${text}"`)]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum over the samples that have these labels. */
export function total(samples: readonly Sample[], name: string, labels: Sample["labels"] = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
