/** A name as a part of a JSON Pointer (RFC 6901 section 3). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
