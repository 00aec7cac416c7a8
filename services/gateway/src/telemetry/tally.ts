import { Counter, type Registry } from "prom-client";
import { METRICS } from "./names.ts";
import { type Labels, SeriesMap, type Wanted } from "./series.ts";

/** One series of a counter: adding to it is adding to a number. */
export class Count {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  add(count = 1): void {
    this.value += count;
  }
}

/** A counter's series; the numbers are handed over when they are read. */
export function tally(registry: Registry, name: keyof typeof METRICS, wanted?: Wanted): SeriesMap<Count> {
  const all = new SeriesMap((labels) => new Count(labels), wanted);
  const { help, labels } = METRICS[name];
  new Counter({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset();
      for (const series of all.read()) this.inc(series.labels, series.value);
    },
  });
  return all;
}
