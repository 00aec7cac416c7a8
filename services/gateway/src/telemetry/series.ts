export type Labels = Readonly<Record<string, string>>;

/** Asked once at each reading: which groups are still wanted. */
export type Wanted = () => (group: string) => boolean;

/**
 * The series of one metric, held by those who count: prom-client looks a
 * series up by its labels each time, which costs several times what the
 * counting does. Series form groups, and go with their group.
 */
export class SeriesMap<S> {
  readonly #groups = new Map<string, Map<string, S>>();
  readonly #make: (labels: Labels) => S;
  readonly #wanted: Wanted;

  constructor(make: (labels: Labels) => S, wanted: Wanted = () => () => true) {
    this.#make = make;
    this.#wanted = wanted;
  }

  /** The series with this key in its group; made at its first use. */
  get(group: string, key: string, labels: () => Labels): S {
    let members = this.#groups.get(group);
    if (members === undefined) {
      members = new Map();
      this.#groups.set(group, members);
    }
    let series = members.get(key);
    if (series === undefined) {
      series = this.#make(labels());
      members.set(key, series);
    }
    return series;
  }

  /** What there is to read; groups that are not wanted any more are forgotten. */
  *read(): Generator<S> {
    const isWanted = this.#wanted();
    for (const [group, members] of this.#groups) {
      if (isWanted(group)) yield* members.values();
      else this.#groups.delete(group);
    }
  }
}
