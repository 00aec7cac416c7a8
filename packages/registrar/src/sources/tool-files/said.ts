type Said<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the keys that are undefined. */
export function said<T extends object>(keys: T): Said<T> {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as Said<T>;
}
