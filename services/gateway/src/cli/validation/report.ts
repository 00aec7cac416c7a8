import type { DocumentProblem } from "@toolgate/documents";

/** What checking found: how much there was, and what is wrong with it. */
export interface Report {
  readonly tools: number;
  readonly files: number;
  readonly problems: readonly DocumentProblem[];
}

export const EMPTY_REPORT: Report = { tools: 0, files: 0, problems: [] };

export function merged(reports: readonly Report[]): Report {
  return {
    tools: reports.reduce((sum, { tools }) => sum + tools, 0),
    files: reports.reduce((sum, { files }) => sum + files, 0),
    problems: reports.flatMap(({ problems }) => problems),
  };
}
