import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GetStatusResponse, ReloadResponse, SourceProblem } from "@toolgate/contract";
import { type ListedToolset, toolsetOf } from "./listing.ts";

/** What reading the files again changed. */
export interface ReloadResult {
  /** Names of tools, sorted. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** What could not be read; the tools of these files stay as they were. */
  readonly problems: readonly FileProblem[];
  readonly generation: string;
}

/** One thing wrong in a file; line and column count from 1 and are 0 where there is no place. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface GatewayStatus {
  /** "starting", "ready", "draining" or "stopped". */
  readonly state: string;
  readonly version: string;
  readonly startedAt: Date | undefined;
  readonly generation: string;
  readonly tools: number;
  readonly toolsets: readonly ListedToolset[];
  readonly callsInFlight: number;
  readonly problems: readonly FileProblem[];
}

export function reloadResultOf({ added, changed, removed, problems, generation }: ReloadResponse): ReloadResult {
  return { added, changed, removed, problems: problems.map(problemOf), generation };
}

export function statusOf(response: GetStatusResponse): GatewayStatus {
  const { state, version, startedAt, generation, tools, toolsets, callsInFlight, problems } = response;
  return {
    ...{ state, version, generation, tools, callsInFlight },
    startedAt: startedAt && timestampDate(startedAt),
    toolsets: toolsets.map(toolsetOf),
    problems: problems.map(problemOf),
  };
}

function problemOf({ file, line, column, message }: SourceProblem): FileProblem {
  return { file, line, column, message };
}
