import { written } from "./layered-map.ts";

/** Writes on top of a map that itself never changes. */
export class Overlay<V> {
  readonly #base: ReadonlyMap<string, V>;
  /** `undefined`: deleted. */
  readonly #changes = new Map<string, V | undefined>();

  constructor(base: ReadonlyMap<string, V>) {
    this.#base = base;
  }

  get(key: string): V | undefined {
    const value = this.#changes.get(key);
    return value !== undefined || this.#changes.has(key) ? value : this.#base.get(key);
  }

  set(key: string, value: V): void {
    this.#changes.set(key, value);
  }

  delete(key: string): void {
    this.#changes.set(key, undefined);
  }

  /** The map with what was written; the base itself, and its values, where that says the same. */
  finish(same: (a: V, b: V) => boolean): ReadonlyMap<string, V> {
    for (const [key, value] of this.#changes) {
      const before = this.#base.get(key);
      const equal = before === undefined || value === undefined ? before === value : same(before, value);
      if (equal) this.#changes.delete(key);
    }
    return this.#changes.size === 0 ? this.#base : written(this.#base, this.#changes);
  }
}
