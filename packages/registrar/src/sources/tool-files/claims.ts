import type { DocumentProblem } from "@toolgate/documents";
import type { FileTool } from "./parse-tool-file.ts";

/** A file and the tools that it offers. */
export interface Claimant {
  readonly path: string;
  /** Of its content. */
  readonly digest: string;
  readonly tools: readonly FileTool[];
}

/** Which file has a name. */
export type Holders = ReadonlyMap<string, Pick<Claimant, "path" | "digest">>;

export interface Settled {
  /** In the order of files, and within a file as written. */
  readonly won: readonly { readonly file: string; readonly tool: FileTool }[];
  readonly holders: Holders;
  /** One for each tool that lost its name, naming the winner. */
  readonly problems: readonly DocumentProblem[];
}

/**
 * Gives each name to one file: to the one that had it; else, where that one
 * is gone, to the file that now has its content (it was renamed); else to the
 * first by path. `files` are in the order of their paths.
 */
export function settleClaims(files: readonly Claimant[], before: Holders): Settled {
  const claims = new Map<string, Claimant[]>();
  for (const file of files) {
    for (const { definition } of file.tools) {
      const claimants = claims.get(definition.name);
      if (claimants === undefined) claims.set(definition.name, [file]);
      else claimants.push(file);
    }
  }
  const holders = new Map([...claims].map(([name, claimants]) => [name, choose(claimants, before.get(name))]));
  const offers = files.flatMap((file) => file.tools.map((tool) => ({ file: file.path, tool })));
  const hasWon = ({ file, tool }: (typeof offers)[number]) => holders.get(tool.definition.name)?.path === file;
  return {
    won: offers.filter(hasWon),
    holders,
    problems: offers
      .filter((offer) => !hasWon(offer))
      .map(({ file, tool }) => taken(file, tool, (holders.get(tool.definition.name) as Claimant).path)),
  };
}

function choose(claimants: readonly Claimant[], holder: Pick<Claimant, "path" | "digest"> | undefined): Claimant {
  const same = claimants.find(({ path }) => path === holder?.path);
  const renamed = claimants.find(({ digest }) => digest === holder?.digest);
  return same ?? renamed ?? (claimants[0] as Claimant);
}

function taken(file: string, { definition, line }: FileTool, winner: string): DocumentProblem {
  const name = JSON.stringify(definition.name);
  const message = `The name ${name} is taken by the file ${winner}. A taken name is never overwritten: choose another.`;
  return { file, line, column: 1, message };
}
