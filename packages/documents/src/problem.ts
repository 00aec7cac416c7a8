/** A place in a document; both count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing wrong with a document, for the person who wrote it. */
export interface DocumentProblem extends Position {
  /** The label that the reader was given, such as "weather_tool.yaml". */
  readonly file: string;
  /** One or two full sentences. Holds no secret. */
  readonly message: string;
}

/** "weather_tool.yaml:3:5: The key …", as editors and terminals link it. */
export function formatProblem({ file, line, column, message }: DocumentProblem): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** In the order of the document; equal ones once. */
export function sortProblems(problems: readonly DocumentProblem[]): readonly DocumentProblem[] {
  const unique = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}
