import type { Metric, Registry } from "prom-client";
import { METRICS } from "./names.ts";
import { type Labels, SeriesMap, type Wanted } from "./series.ts";

/** Upper bounds in seconds. Tools can take a minute; the usual buckets end at ten seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** One series of a histogram. */
export class Timing {
  readonly labels: Labels;
  /** How many fell into each bucket and no smaller one; the last is for what is beyond all bounds. */
  readonly #counts = new Array<number>(BOUNDS.length + 1).fill(0);
  #sum = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket += 1;
    (this.#counts[bucket] as number) += 1;
    this.#sum += seconds;
  }

  /** As the exposition format has it: buckets that grow, the sum, the count. */
  *samples(name: string): Generator<{ metricName: string; labels: Labels; value: number }> {
    const { labels } = this;
    let total = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      total += count;
      yield { metricName: `${name}_bucket`, labels: { ...labels, le: String(BOUNDS[bucket] ?? "+Inf") }, value: total };
    }
    yield { metricName: `${name}_sum`, labels, value: this.#sum };
    yield { metricName: `${name}_count`, labels, value: total };
  }
}

/** A histogram's series. */
export function timings(registry: Registry, name: keyof typeof METRICS, wanted?: Wanted): SeriesMap<Timing> {
  const all = new SeriesMap((labels) => new Timing(labels), wanted);
  const { help, type } = METRICS[name];
  const get = async () => {
    const values = [...all.read()].flatMap((series) => [...series.samples(name)]);
    return { name, help, type, values, aggregator: "sum" };
  };
  // What a registry asks of a metric when it is read; its declared type names prom-client's own classes only.
  registry.registerMetric({ name, get } as unknown as Metric);
  return all;
}
