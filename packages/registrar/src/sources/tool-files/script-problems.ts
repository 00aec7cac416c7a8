import { posix } from "node:path";
import { describeFault, isJsonObject, type JsonValue, type ScriptFault, type ScriptRunner } from "@toolgate/core";
import type { DocumentProblem, Path, Position, SourceDocument } from "@toolgate/documents";
import type { FileTool } from "./parse-tool-file.ts";

/** Where the transform script of a tool is written. */
export interface ScriptPosition extends Position {
  /** The script's own file, labelled as the tool file is; unset: it stands in the tool file. */
  readonly file?: string;
}

/** Where the script of the tool at `at` is, if it has one. */
export function scriptPosition(document: SourceDocument, at: Path): ScriptPosition | undefined {
  const transformAt = [...at, "response", "transform"];
  const transform = transformAt.reduce<JsonValue | undefined>((value, key) => {
    return isJsonObject(value) || Array.isArray(value) ? (value as never)[key] : undefined;
  }, document.value);
  if (!isJsonObject(transform)) return undefined;
  if (typeof transform.file !== "string") return document.positionOf([...transformAt, "source"]);
  return { line: 1, column: 1, file: posix.join(posix.dirname(document.file), transform.file) };
}

/** The tool file that the tools were read from. */
export interface ScriptSource {
  readonly file: string;
  readonly text: string;
}

/** Reads the scripts of these tools as their languages do, and says what is wrong with them, each at its place. */
export async function scriptProblems(
  tools: readonly FileTool[],
  source: ScriptSource,
  check: ScriptRunner["check"],
): Promise<readonly DocumentProblem[]> {
  const problems: DocumentProblem[] = [];
  for (const { definition, script } of tools) {
    const { transform } = definition.response;
    if (transform === undefined || script === undefined) continue;
    const fault = await check(transform);
    if (fault !== undefined) problems.push(problemOf({ fault, script, source, text: transform.source }));
  }
  return problems;
}

interface Faulty {
  readonly fault: ScriptFault;
  readonly script: ScriptPosition;
  readonly source: ScriptSource;
  /** Of the script. */
  readonly text: string;
}

function problemOf({ fault, script, source, text }: Faulty): DocumentProblem {
  const message = `The transform script ${describeFault(fault)}.`;
  const line = "line" in fault ? fault.line : undefined;
  const column = "column" in fault ? (fault.column ?? 1) : 1;
  if (script.file !== undefined) return { file: script.file, line: line ?? 1, column, message };
  const place = line === undefined ? undefined : placeInBlock({ script, source, text }, { line, column });
  return { file: source.file, line: script.line, column: script.column, message, ...place };
}

/** In a block (`source: |`) each line of the script is a line of the file; in any other text there is no such place. */
function placeInBlock({ script, source, text }: Omit<Faulty, "fault">, at: Position): Position | undefined {
  const written = source.text.split("\n")[script.line - 1 + at.line]?.replace(/\r$/, "");
  const line = text.split("\n")[at.line - 1];
  const isBlock = source.text.split("\n")[script.line - 1]?.[script.column - 1] === "|";
  if (!isBlock || written === undefined || line === undefined || !written.endsWith(line)) return undefined;
  return { line: script.line + at.line, column: written.length - line.length + at.column };
}
