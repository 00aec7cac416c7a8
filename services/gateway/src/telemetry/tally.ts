import { Counter, type Registry } from "prom-client";
import { METRICS } from "./names.ts";

/** One series of a counter: adding to it is adding to a number. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
}

/**
 * A counter whose series are held by those who count. prom-client looks a
 * series up by its labels each time, which costs about 2 µs, several times a
 * call; this one hands the numbers over when they are read.
 */
export class Tally {
  readonly #series = new Map<string, Map<string, Series>>();

  /** @param keep whether the series of a group are still wanted; asked at each reading */
  constructor(registry: Registry, name: keyof typeof METRICS, keep: (group: string) => boolean = () => true) {
    const { help, labels } = METRICS[name];
    const all = this.#series;
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        this.reset();
        for (const [group, members] of all) {
          if (!keep(group)) all.delete(group);
          else for (const series of members.values()) this.inc(series.labels, series.count);
        }
      },
    });
  }

  /** The series with this key in its group; made at its first use, at 0. */
  series(group: string, key: string, labels: () => Series["labels"]): Series {
    let members = this.#series.get(group);
    if (members === undefined) {
      members = new Map();
      this.#series.set(group, members);
    }
    let series = members.get(key);
    if (series === undefined) {
      series = { labels: labels(), count: 0 };
      members.set(key, series);
    }
    return series;
  }
}
