const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MASK = 0xffffffffffffffffn;

/**
 * A short, stable digest of a text: FNV-1a (64 bits) over its UTF-16 code
 * units, in base 36. Not against forgery: whoever uses it checks for collisions.
 */
export function digest(text: string, length: number): string {
  let hash = OFFSET;
  for (let place = 0; place < text.length; place++) {
    hash = ((hash ^ BigInt(text.charCodeAt(place))) * PRIME) & MASK;
  }
  return hash.toString(36).padStart(length, "0").slice(-length);
}
