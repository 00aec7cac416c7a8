/** The name of a field in JSON where the file gives none: "user_id" is "userId", as protoc has it. */
export function jsonNameOf(name: string): string {
  return name.replace(/_+(.?)/g, (_match, next: string) => next.toUpperCase());
}
