/** Lets one change of a file happen at a time, so that no change is lost under another. */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  async with<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(path) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => {},
      () => {},
    );
    this.#tails.set(path, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(path) === tail) this.#tails.delete(path);
    }
  }
}
