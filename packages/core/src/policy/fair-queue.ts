/**
 * A queue that serves its owners in turn: who has a hundred things waiting is
 * served as often as who has one. Things of one owner keep their order.
 */
export class FairQueue<T> {
  /** In the order of their turns; nobody is here without something that waits. */
  readonly #owners = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: T): void {
    const waiting = this.#owners.get(owner);
    if (waiting === undefined) this.#owners.set(owner, new Set([item]));
    else waiting.add(item);
    this.#size += 1;
  }

  /** Whose turn it is; stays until it is served or removed. */
  get next(): T | undefined {
    for (const waiting of this.#owners.values()) for (const item of waiting) return item;
    return undefined;
  }

  /** Takes it out, and lets all other owners go first. */
  serve(owner: string, item: T): void {
    this.remove(owner, item);
    const waiting = this.#owners.get(owner);
    if (waiting === undefined) return;
    this.#owners.delete(owner);
    this.#owners.set(owner, waiting);
  }

  /** Takes it out; the turns stay as they are. */
  remove(owner: string, item: T): void {
    const waiting = this.#owners.get(owner);
    if (waiting?.delete(item) !== true) return;
    this.#size -= 1;
    if (waiting.size === 0) this.#owners.delete(owner);
  }

  /**
   * What must give way so that `owner` gets its share of a full queue: the
   * newest thing of whoever has most, where that is at least two more than
   * `owner` has.
   */
  makesWayFor(owner: string): T | undefined {
    let most: Set<T> | undefined;
    for (const waiting of this.#owners.values()) if (waiting.size > (most?.size ?? 0)) most = waiting;
    const own = this.#owners.get(owner)?.size ?? 0;
    return most === undefined || most.size < own + 2 ? undefined : [...most].at(-1);
  }
}
