import { isJsonObject, isLegalName, type JsonObject, type ToolDefinition } from "@toolgate/core";
import {
  checkValue,
  type DocumentProblem,
  openDocument,
  type Path,
  type ReferenceSources,
  type SourceDocument,
  sortProblems,
} from "@toolgate/documents";
import { z } from "zod";
import { readTool } from "./read-tool.ts";
import { said } from "./said.ts";
import { type ScriptPosition, scriptPosition } from "./script-problems.ts";
import type { ToolKind } from "./tool-kind.ts";

export interface ToolFileContext {
  /** For tools that name none; "default" where unset. */
  readonly toolset?: string;
  /** Where references come from. Unset: they stay as they are, as when a file is only checked. */
  readonly references?: ReferenceSources;
  /** Makes a path in the file absolute. Unset: relative to the working folder. */
  readonly resolvePath?: (path: string) => string;
}

export interface FileTool {
  readonly definition: ToolDefinition;
  readonly toolset: string;
  /** Where the tool begins. */
  readonly line: number;
  /** Where its transform script is; unset where it has none. */
  readonly script?: ScriptPosition;
}

export type ToolFileResult =
  | { readonly ok: true; readonly tools: readonly FileTool[] }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

const LIST = z.strictObject({ tools: z.array(z.unknown()).min(1).max(1_000) });

/**
 * Reads one tool file: a single tool, or a list of them under `tools`. All of
 * it is good or none of it is. `file` is the label of problems: the path below
 * the folder of tool files.
 */
export function parseToolFile(
  text: string,
  file: string,
  kinds: readonly ToolKind[],
  context: ToolFileContext = {},
): ToolFileResult {
  const opened = openDocument(text, file);
  if (!opened.ok) return opened;
  const { document } = opened;
  const places = placesOfTools(document);
  if (!places.ok) return places;
  const problems: DocumentProblem[] = [];
  const tools: FileTool[] = [];
  for (const at of places.paths) {
    const read = readTool({ document, at, kinds, references: context.references, resolvePath: context.resolvePath });
    if (!read.ok) problems.push(...read.problems);
    else tools.push(...located(document, at, read, { context, problems }));
  }
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) };
  return { ok: true, tools };
}

type Places =
  | { readonly ok: true; readonly paths: readonly Path[] }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

/** A list has `tools` and no `name`; with both, the writer began with a single tool. */
function placesOfTools(document: SourceDocument): Places {
  const { value } = document;
  if (!isJsonObject(value) || !Object.hasOwn(value, "tools") || Object.hasOwn(value, "name")) {
    return { ok: true, paths: [[]] };
  }
  const checked = checkValue(document, LIST);
  if (!checked.ok) return checked;
  const paths = checked.value.tools.map((_, index) => ["tools", index]);
  const problems = namesThatOccurTwice(document, paths);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, paths };
}

function namesThatOccurTwice(document: SourceDocument, paths: readonly Path[]): readonly DocumentProblem[] {
  const tools = (document.value as JsonObject).tools as readonly JsonObject[];
  const first = new Map<unknown, number>();
  return tools.flatMap((tool, index) => {
    const name = isJsonObject(tool) ? tool.name : undefined;
    const before = first.get(name);
    if (typeof name !== "string" || before === undefined) {
      first.set(name, document.positionOf(paths[index] as Path).line);
      return [];
    }
    const message = `The name ${JSON.stringify(name)} is already that of the tool in line ${before}.`;
    return [document.problemAt([...(paths[index] as Path), "name"], message)];
  });
}

interface Reading {
  readonly context: ToolFileContext;
  readonly problems: DocumentProblem[];
}

function located(
  document: SourceDocument,
  at: Path,
  read: { readonly definition: ToolDefinition; readonly toolset: string | undefined },
  { context, problems }: Reading,
): readonly FileTool[] {
  const toolset = read.toolset ?? context.toolset ?? "default";
  if (isLegalName(toolset)) {
    const { line } = document.positionOf(at);
    return [{ definition: read.definition, toolset, line, ...said({ script: scriptPosition(document, at) }) }];
  }
  const folder = JSON.stringify(toolset.slice(0, 64));
  const message = `The name of the folder, ${folder}, cannot be that of a toolset. Rename the folder, or write "toolset: NAME".`;
  problems.push(document.problemAt(at, message));
  return [];
}
