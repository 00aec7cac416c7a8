import { readExposition, type Sample } from "../../exposition.ts";

/** Reads /metrics of an admin port. */
export async function readMetrics(admin: string): Promise<readonly Sample[]> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  return [...readExposition(text).values()].flatMap(({ samples }) => samples);
}

/** The sum over the samples that have these labels. */
export function total(samples: readonly Sample[], name: string, labels: Sample["labels"] = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
