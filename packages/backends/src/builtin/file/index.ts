import type { BuiltinToolset } from "../tool.ts";
import { Confinement } from "./confine.ts";
import { patchTool } from "./patch.ts";
import { PathLocks } from "./path-locks.ts";
import { readFileTool } from "./read-file.ts";
import { writeFileTool } from "./write-file.ts";

export interface FileOptions {
  /** The folder that the tools may use. It need not exist yet: calls say so then. */
  readonly root: string;
  /** Largest file that is read or written, in bytes; 10 MiB where unsaid. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;

/** The toolset `file`: read_file, write_file and patch, inside one folder. */
export function createFileTools({ root, maxBytes = DEFAULT_MAX_BYTES }: FileOptions): BuiltinToolset {
  const confinement = new Confinement(root);
  const editing = { confinement, locks: new PathLocks(), maxBytes };
  return {
    toolset: "file",
    tools: [readFileTool(confinement, maxBytes), writeFileTool(editing), patchTool(editing)],
  };
}
