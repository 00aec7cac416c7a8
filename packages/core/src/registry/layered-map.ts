/** Below this size a plain copy is cheap enough. */
const SMALL = 256;

/**
 * A successor of `map` with these keys written (`undefined`: deleted). `map`
 * itself stays as it is. Of n entries it copies about √n, not n: what changed
 * lies in a thin layer over a root that successors share, and root and layer
 * are made one when the layer has outgrown √n.
 */
export function written<V>(
  map: ReadonlyMap<string, V>,
  changes: ReadonlyMap<string, V | undefined>,
): ReadonlyMap<string, V> {
  const root = map instanceof LayeredMap ? map.root : map;
  const layer = map instanceof LayeredMap ? new Map([...map.layer, ...changes]) : changes;
  if (root.size < SMALL || layer.size ** 2 > root.size) return merged(root, layer);
  return new LayeredMap(root, layer);
}

function merged<V>(root: ReadonlyMap<string, V>, layer: ReadonlyMap<string, V | undefined>): ReadonlyMap<string, V> {
  const whole = new Map(root);
  for (const [key, value] of layer) {
    if (value === undefined) whole.delete(key);
    else whole.set(key, value);
  }
  return whole;
}

/** Reads as one map. Order: the root's keys, then those that only the layer has. */
class LayeredMap<V> implements ReadonlyMap<string, V> {
  readonly root: ReadonlyMap<string, V>;
  /** `undefined`: deleted. */
  readonly layer: ReadonlyMap<string, V | undefined>;
  readonly size: number;

  constructor(root: ReadonlyMap<string, V>, layer: ReadonlyMap<string, V | undefined>) {
    this.root = root;
    this.layer = layer;
    let size = root.size;
    for (const [key, value] of layer) size += Number(value !== undefined) - Number(root.has(key));
    this.size = size;
  }

  get(key: string): V | undefined {
    const value = this.layer.get(key);
    return value !== undefined || this.layer.has(key) ? value : this.root.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, V]> {
    for (const entry of this.root) {
      const [key] = entry;
      if (!this.layer.has(key)) yield entry;
      else {
        const value = this.layer.get(key);
        if (value !== undefined) yield [key, value];
      }
    }
    for (const [key, value] of this.layer) {
      if (value !== undefined && !this.root.has(key)) yield [key, value];
    }
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(task: (value: V, key: string, map: ReadonlyMap<string, V>) => void, self?: unknown): void {
    for (const [key, value] of this.entries()) task.call(self, value, key, this);
  }
}
