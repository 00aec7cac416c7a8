import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, posix, resolve } from "node:path";
import type { ScriptRunner } from "@toolgate/core";
import { type DocumentProblem, decodeText, type ReferenceSources, sortProblems } from "@toolgate/documents";
import type { OfferedTool } from "../../registrar.ts";
import { type Claimant, type Holders, settleClaims } from "./claims.ts";
import {
  type FolderListing,
  type FoundFile,
  isToolFile,
  listFolder,
  MAX_TOOL_FILE_BYTES,
  whyUnreadable,
} from "./folder.ts";
import { parseToolFile } from "./parse-tool-file.ts";
import { scriptProblems } from "./script-problems.ts";
import type { ToolKind } from "./tool-kind.ts";

export interface ToolFilesOptions {
  /** The folder of tool files. */
  readonly dir: string;
  readonly kinds: readonly ToolKind[];
  /**
   * For `${NAME}` references. `file:` references are read relative to the file
   * they stand in. Unset: both stay as they are, as when files are only checked.
   */
  readonly env?: ReferenceSources["env"];
  /** Reads the transform scripts of tools. Unset: they are taken as they are. */
  readonly checkScript?: ScriptRunner["check"];
}

export interface LoadedTool extends OfferedTool {
  /** Relative to the folder of tool files. */
  readonly file: string;
  /** Where the tool begins. */
  readonly line: number;
}

export interface LoadedToolset {
  readonly name: string;
  /** "file a.yaml", or "3 files". */
  readonly source: string;
  readonly tools: readonly LoadedTool[];
}

/** A file or folder that offers nothing although it is there. */
export interface MissingSource {
  /** Such as "file a.yaml". */
  readonly source: string;
  readonly reason: string;
}

/** Everything that the folder offers now: what is not here is to be removed. */
export interface LoadedTools {
  /** By name. */
  readonly toolsets: readonly LoadedToolset[];
  readonly problems: readonly DocumentProblem[];
  readonly missing: readonly MissingSource[];
}

/** A file as it was when it was last good; `undefined` while it never was. */
interface KnownFile {
  readonly good: Claimant | undefined;
  readonly problems: readonly DocumentProblem[];
}

/**
 * Reads a folder of tool files, and remembers of each the last good version:
 * a file that is bad, empty or unreadable keeps its tools, a file that is gone
 * loses them. While the folder itself cannot be read, everything is kept.
 */
export class ToolFilesSource {
  readonly #options: ToolFilesOptions;
  #known: ReadonlyMap<string, KnownFile> = new Map();
  #holders: Holders = new Map();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ToolFilesOptions) {
    this.#options = options;
  }

  /** Reads all files. One load runs at a time; others wait for it. */
  load(): Promise<LoadedTools> {
    const loading = this.#last.then(() => this.#load());
    this.#last = loading.catch(() => undefined);
    return loading;
  }

  async #load(): Promise<LoadedTools> {
    const listing = await this.#list();
    const known = new Map<string, KnownFile>();
    for (const file of listing.files) known.set(file.path, await this.#read(file));
    for (const { path, reason } of listing.unreadable) this.#keep(known, path, reason);
    this.#known = new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1)));
    return this.#settle();
  }

  /**
   * A file that was renamed while the folder was read may have been seen in
   * neither place. A second listing begins after the rename, so it decides.
   */
  async #list(): Promise<FolderListing> {
    const listing = await listFolder(this.#options.dir);
    const seen = new Set([...listing.files, ...listing.unreadable].map(({ path }) => path));
    const isComplete = [...this.#known.keys()].every((path) => seen.has(path));
    return isComplete ? listing : listFolder(this.#options.dir);
  }

  async #read(file: FoundFile): Promise<KnownFile> {
    const { path } = file;
    const before = this.#known.get(path)?.good;
    if (file.size > MAX_TOOL_FILE_BYTES) {
      const message = `The file is ${file.size} bytes long; at most ${MAX_TOOL_FILE_BYTES} are read.`;
      return { good: before, problems: [atStart(path, message)] };
    }
    let bytes: Uint8Array;
    try {
      bytes = await readFile(file.absolute);
    } catch (error) {
      return { good: before, problems: [atStart(path, `The file ${whyUnreadable(error)}.`)] };
    }
    const decoded = decodeText(bytes, path);
    if (!decoded.ok) return { good: before, problems: [decoded.problem] };
    for (const kind of this.#options.kinds) await kind.prepare?.(decoded.text);
    const parsed = parseToolFile(decoded.text, path, this.#options.kinds, {
      toolset: toolsetOf(path),
      resolvePath: (written) => resolve(dirname(file.absolute), written),
      ...this.#referencesFor(file),
    });
    if (!parsed.ok) return { good: before, problems: parsed.problems };
    const { checkScript } = this.#options;
    const source = { file: path, text: decoded.text };
    const problems = checkScript === undefined ? [] : await scriptProblems(parsed.tools, source, checkScript);
    if (problems.length > 0) return { good: before, problems };
    const digest = createHash("sha256").update(bytes).digest("hex");
    return { good: { path, digest, tools: parsed.tools }, problems: [] };
  }

  #referencesFor({ absolute }: FoundFile): { readonly references?: ReferenceSources } {
    const { env } = this.#options;
    if (env === undefined) return {};
    return { references: { env, readFile: (path) => readFileSync(resolve(dirname(absolute), path), "utf8") } };
  }

  /** Keeps a file that cannot be read, or every file of a folder that cannot. */
  #keep(known: Map<string, KnownFile>, path: string, reason: string): void {
    const what = path === "" ? "The folder of tool files" : isToolFile(path) ? "The file" : "The folder";
    const problem = atStart(path === "" ? "." : path, `${what} ${reason}.`);
    for (const [file, { good }] of this.#known) {
      if (!known.has(file) && (path === "" || file.startsWith(`${path}/`))) known.set(file, { good, problems: [] });
    }
    known.set(path, { good: this.#known.get(path)?.good, problems: [problem] });
  }

  #settle(): LoadedTools {
    const files = [...this.#known.values()];
    const good = files.flatMap((file) => (file.good === undefined ? [] : [file.good]));
    const settled = settleClaims(good, this.#holders);
    this.#holders = settled.holders;
    return {
      toolsets: toolsetsOf(settled.won),
      problems: sortByFile([...files.flatMap(({ problems }) => problems), ...settled.problems]),
      missing: missingOf(this.#known),
    };
  }
}

/** The folder that the file lies in names the toolset. */
function toolsetOf(path: string): string {
  const folder = posix.basename(posix.dirname(path));
  return folder === "." ? "default" : folder;
}

function toolsetsOf(won: ReturnType<typeof settleClaims>["won"]): readonly LoadedToolset[] {
  const byName = Map.groupBy(won, ({ tool }) => tool.toolset);
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, offers]) => {
      const files = new Set(offers.map(({ file }) => file));
      return {
        name,
        source: files.size === 1 ? `file ${[...files][0]}` : `${files.size} files`,
        tools: offers.map(({ file, tool }) => {
          return { definition: tool.definition, source: `file ${file}`, file, line: tool.line };
        }),
      };
    });
}

/** What is known of a folder that cannot be read is kept: it is missing only where nothing is known. */
function missingOf(known: ReadonlyMap<string, KnownFile>): readonly MissingSource[] {
  const good = [...known].filter(([, file]) => file.good !== undefined).map(([path]) => path);
  return [...known].flatMap(
    ([
      path,
      {
        problems: [problem],
      },
    ]) => {
      const isOffered = good.some((other) => other === path || path === "" || other.startsWith(`${path}/`));
      return isOffered || problem === undefined ? [] : [{ source: sourceOf(path), reason: problem.message }];
    },
  );
}

function sourceOf(path: string): string {
  if (path === "") return "the folder of tool files";
  return `${isToolFile(path) ? "file" : "folder"} ${path}`;
}

function atStart(file: string, message: string): DocumentProblem {
  return { file, line: 1, column: 1, message };
}

function sortByFile(problems: readonly DocumentProblem[]): readonly DocumentProblem[] {
  const byFile = Map.groupBy(problems, ({ file }) => file);
  return [...byFile].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, ofFile]) => sortProblems(ofFile));
}
