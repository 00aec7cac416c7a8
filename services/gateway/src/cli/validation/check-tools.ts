import { dirname, relative, resolve } from "node:path";
import type { ScriptRunner, ToolDefinition } from "@toolgate/core";
import type { Decoded, DocumentProblem } from "@toolgate/documents";
import type { AdmissionRule } from "@toolgate/registrar";
import { parseToolFile, scriptProblems, ToolFilesSource, type ToolKind } from "@toolgate/registrar/tool-files";
import type { Report } from "./report.ts";

/** What a gateway would check with. */
export interface ToolChecks {
  readonly kinds: readonly ToolKind[];
  readonly rules: readonly AdmissionRule[];
  readonly checkScript: ScriptRunner["check"];
}

interface PlacedTool {
  readonly file: string;
  readonly line: number;
  readonly definition: ToolDefinition;
}

/** Checks files one by one, as they would be read and admitted, and their names against each other. */
export async function checkToolFiles(
  files: readonly { label: string; decoded: Decoded }[],
  checks: ToolChecks,
): Promise<Report> {
  const problems: DocumentProblem[] = [];
  const tools: PlacedTool[] = [];
  for (const { label, decoded } of files) {
    if (!decoded.ok) {
      problems.push(decoded.problem);
      continue;
    }
    for (const kind of checks.kinds) await kind.prepare?.(decoded.text);
    const resolvePath = (path: string) => resolve(dirname(label), path);
    const parsed = parseToolFile(decoded.text, label, checks.kinds, { resolvePath });
    if (!parsed.ok) {
      problems.push(...parsed.problems);
      continue;
    }
    problems.push(...(await scriptProblems(parsed.tools, { file: label, text: decoded.text }, checks.checkScript)));
    tools.push(...parsed.tools.map(({ definition, line }) => ({ file: label, line, definition })));
  }
  problems.push(...refusals(tools, checks.rules), ...takenNames(tools));
  return { tools: tools.length, files: files.length, problems };
}

/** Checks a folder exactly as a gateway reads its `tools_dir`, but for references, which need not lead anywhere here. */
export async function checkToolFolder(dir: string, { kinds, checkScript, rules }: ToolChecks): Promise<Report> {
  const load = await new ToolFilesSource({ dir, kinds, checkScript }).load();
  const label = (file: string) => relative(".", resolve(dir, file)) || ".";
  const tools = load.toolsets.flatMap((toolset) => toolset.tools).map((tool) => ({ ...tool, file: label(tool.file) }));
  const problems = load.problems.map((problem) => ({ ...problem, file: label(problem.file) }));
  const files = new Set([...tools, ...problems].map(({ file }) => file));
  return { tools: tools.length, files: files.size, problems: [...problems, ...refusals(tools, rules)] };
}

function refusals(tools: readonly PlacedTool[], rules: readonly AdmissionRule[]): DocumentProblem[] {
  return tools.flatMap(({ file, line, definition }) => {
    for (const rule of rules) {
      const refusal = rule(definition);
      if (refusal !== undefined)
        return [{ file, line, column: 1, message: `"${definition.name}": ${refusal.message}` }];
    }
    return [];
  });
}

function takenNames(tools: readonly PlacedTool[]): DocumentProblem[] {
  const first = new Map<string, PlacedTool>();
  return tools.flatMap((tool) => {
    const { file, line, definition } = tool;
    const before = first.get(definition.name);
    if (before === undefined) first.set(definition.name, tool);
    if (before === undefined) return [];
    const message = `The name "${definition.name}" is already that of the tool at ${before.file}:${before.line}.`;
    return [{ file, line, column: 1, message }];
  });
}
