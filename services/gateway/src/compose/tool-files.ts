import { formatProblem } from "@toolgate/documents";
import type { OfferedToolset, OfferResult, Registrar } from "@toolgate/registrar";
import type { LoadedTools, LoadedToolset, ToolFilesSource } from "@toolgate/registrar/tool-files";
import type { ToolsetConfig } from "../config/config.ts";
import type { Problem, ReloadOutcome } from "../transport/handlers/admin.ts";
import type { MissingTools } from "../transport/handlers/list-tools.ts";
import { serialized } from "./serialize.ts";

/** All tool files together are one registrant: they belong to the operator. */
const REGISTRANT = { id: "files", label: "the tool files" };

export interface ToolFilesPorts {
  readonly registrar: Registrar;
  readonly source: ToolFilesSource;
  readonly toolsets: Readonly<Record<string, ToolsetConfig>>;
  readonly now: () => number;
  readonly log: { error(message: string): void };
}

/** Brings the tool files into the register, at start and at each reload, one after the other. */
export class ToolFiles {
  readonly #ports: ToolFilesPorts;
  #problems: readonly Problem[] = [];
  #missing: readonly MissingTools[] = [];
  readonly reload: () => Promise<ReloadOutcome>;

  constructor(ports: ToolFilesPorts) {
    this.#ports = ports;
    this.reload = serialized(() => this.#reload());
  }

  /** What is wrong in the files, as of the last reload. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Files that offer nothing although they are there. */
  get missing(): readonly MissingTools[] {
    return this.#missing;
  }

  async #reload(): Promise<ReloadOutcome> {
    const { registrar, source } = this.#ports;
    const load = await source.load();
    const toolsets = load.toolsets.map((toolset) => this.#offer(toolset));
    const result = await registrar.register({ registrant: REGISTRANT, instanceId: "files", toolsets, replace: true });
    const problems = [...load.problems, ...refusals(load, result)];
    this.#tell(problems);
    this.#missing = load.missing.map(({ source: name, reason }) => {
      const since = this.#missing.find((missing) => missing.source === name)?.since;
      return { source: name, reason, since: since ?? this.#ports.now() };
    });
    const named = (status: string) =>
      result.outcomes
        .filter((outcome) => outcome.status === status)
        .map(({ tool }) => tool)
        .sort();
    return { added: named("registered"), changed: named("updated"), removed: result.removed, problems };
  }

  #offer({ name, tools }: LoadedToolset): OfferedToolset {
    return { name, tools, ...this.#ports.toolsets[name] };
  }

  /** Says each new problem once. */
  #tell(problems: readonly Problem[]): void {
    const known = new Set(this.#problems.map(formatProblem));
    for (const text of problems.map(formatProblem)) if (!known.has(text)) this.#ports.log.error(text);
    this.#problems = problems;
  }
}

/** What the register refused, at the place of the tool that it refused. */
function refusals(load: LoadedTools, { outcomes }: OfferResult): Problem[] {
  const places = load.toolsets.flatMap(({ tools }) => tools);
  return outcomes.flatMap((outcome, place) => {
    const tool = places[place];
    if (outcome.status !== "refused" || tool === undefined) return [];
    return [
      {
        file: tool.file,
        line: tool.line,
        column: 1,
        message: `The tool "${outcome.tool}" was refused: ${outcome.message}`,
      },
    ];
  });
}
