import { escapePointer, quotedExcerpt, ToolgateError } from "@toolgate/core";

export interface BadArgument {
  readonly name: string;
  /** As the end of "expected …". */
  readonly expected: string;
  /** What came, in few words; never a whole long value. */
  readonly got: string;
}

/** The error for an argument that fits the schema and yet cannot be put into a request. Nothing was sent. */
export function badArgument(tool: string, { name, expected, got }: BadArgument): ToolgateError {
  const path = `/${escapePointer(name)}`;
  return new ToolgateError(
    "INVALID_ARGUMENT",
    `The argument "${name}" of "${tool}" cannot be sent: expected ${expected}, got ${got}.`,
    { violations: [{ path, expected, got }] },
  );
}

/** A value as it may stand in a message: quoted and cut. */
export function quoted(text: string): string {
  return quotedExcerpt(text, 60);
}
