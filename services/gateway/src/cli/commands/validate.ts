import { relative } from "node:path";
import type { ScriptRunner } from "@toolgate/core";
import { type Decoded, decodeText, formatProblem } from "@toolgate/documents";
import { type AdmissionRule, admissionRules } from "@toolgate/registrar";
import { builtinToolsets, createBackends, toolKinds } from "../../compose/backends.ts";
import { createLanguages } from "../../compose/languages.ts";
import { createScripts } from "../../compose/scripts.ts";
import type { GatewayConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { refuseUnsafe } from "../../config/refuse-unsafe.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import { readBytes } from "../read-file.ts";
import { shown, type Terminal } from "../terminal.ts";
import { checkConfiguration, isConfiguration } from "../validation/check-config.ts";
import { checkToolFiles, checkToolFolder, type ToolChecks } from "../validation/check-tools.ts";
import { EMPTY_REPORT, merged, type Report } from "../validation/report.ts";

export interface ValidateCommandOptions {
  readonly file?: readonly string[];
  readonly dir?: string;
  readonly config?: string;
}

/** `toolgate validate`: checks files as a gateway would, without one. Exit code 2 where anything is wrong. */
export async function validateCommand(options: ValidateCommandOptions, terminal: Terminal): Promise<number> {
  const { file: names = [], config } = options;
  if (names.length === 0 && options.dir === undefined && config === undefined) {
    throw new UsageError("Nothing to check. Name a tool file with --file, a folder with --dir, or a --config.");
  }
  const loaded = config === undefined ? undefined : readConfig(config);
  if (loaded !== undefined && "problems" in loaded) return tell(loaded.problems, terminal);
  const dir = options.dir ?? (names.length === 0 ? loaded?.toolsDir : undefined);
  const { problems, tools, files } = await check(names, dir, loaded);
  if (problems.length > 0) return tell(problems.map(formatProblem), terminal);
  if (config !== undefined) terminal.out.write(`The configuration ${config} is valid.\n`);
  if (files > 0 || config === undefined) terminal.out.write(verdict(tools, files));
  return EXIT.ok;
}

async function check(
  names: readonly string[],
  dir: string | undefined,
  config: GatewayConfig | undefined,
): Promise<Report> {
  const scripts = createScripts();
  try {
    const checks = toolChecks(config, scripts);
    const ofFiles = await checkFiles(names, checks);
    return merged([ofFiles, dir === undefined ? EMPTY_REPORT : await checkToolFolder(dir, checks)]);
  } finally {
    await scripts.close();
  }
}

function tell(problems: readonly string[], { err }: Terminal): number {
  for (const problem of problems) err.write(`${shown(problem, err)}\n`);
  err.write(`${problems.length === 1 ? "1 problem" : `${problems.length} problems`}.\n`);
  return EXIT.usage;
}

function verdict(tools: number, files: number): string {
  const inFiles = files === 1 ? "1 file" : `${files} files`;
  return tools === 1 ? `1 tool in ${inFiles} is valid.\n` : `${tools} tools in ${inFiles} are valid.\n`;
}

function readConfig(file: string): GatewayConfig | { readonly problems: readonly string[] } {
  // Without the environment: what is checked is the file, on whatever machine.
  const loaded = loadConfig(file, {});
  if (!loaded.ok) return loaded;
  const unsafe = refuseUnsafe(loaded.config);
  return unsafe === undefined ? loaded.config : { problems: [`${file}:1:1: ${unsafe}`] };
}

/** With no configuration to say which tools are built in, all that could be count as there, and their names as free. */
function toolChecks(config: GatewayConfig | undefined, scripts: Pick<ScriptRunner, "check">): ToolChecks {
  const builtin = builtinToolsets(config ?? { builtin: { filesRoot: ".", docsRoot: "." } });
  const rules = admissionRules({ ...createLanguages(), backends: createBackends(builtin) });
  const taken = new Set(config && builtin.flatMap(({ tools }) => tools.map(({ definition }) => definition.name)));
  const builtinNames: AdmissionRule = ({ name }) =>
    taken.has(name) ? { reason: "NAME_TAKEN", message: "A tool of the gateway itself has this name." } : undefined;
  return { kinds: toolKinds(), rules: [...rules, builtinNames], checkScript: scripts.check };
}

async function checkFiles(names: readonly string[], checks: ToolChecks): Promise<Report> {
  const files = names.map((name) => ({ label: relative(".", name), bytes: readBytes(name, "The file") }));
  const reports: Report[] = [];
  const toolFiles: { label: string; decoded: Decoded }[] = [];
  for (const { label, bytes } of files) {
    const decoded = decodeText(bytes, label);
    if (decoded.ok && isConfiguration(label, decoded.text)) reports.push(checkConfiguration(label, decoded.text));
    else toolFiles.push({ label, decoded });
  }
  return merged([...reports, await checkToolFiles(toolFiles, checks)]);
}
