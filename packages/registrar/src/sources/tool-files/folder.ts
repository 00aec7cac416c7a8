import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Sub-folders this deep are read; what lies deeper is reported. */
export const MAX_FOLDER_DEPTH = 8;
/** Files beyond this number are reported, not read. */
export const MAX_TOOL_FILES = 5_000;

/** Larger files are reported, not read. */
export const MAX_TOOL_FILE_BYTES = 4 * 1024 * 1024;

const TOOL_FILE = /\.(ya?ml|json)$/i;
/** What tool files may name as their scripts. */
const SCRIPT_FILE = /\.m?js$/i;

export interface FoundFile {
  /** Below the folder, with "/" between the parts. */
  readonly path: string;
  readonly absolute: string;
  /** In bytes. */
  readonly size: number;
}

export interface Unreadable {
  /** Below the folder; empty for the folder itself. */
  readonly path: string;
  /** "may not be read", with no path of this machine in it. */
  readonly reason: string;
}

export interface FolderListing {
  /** In the order of their paths. */
  readonly files: readonly FoundFile[];
  /** Files that may be scripts of tools. */
  readonly scripts: readonly FoundFile[];
  /** Every folder that was read, the folder itself first. */
  readonly directories: readonly string[];
  /** What is there and could not be read: its files are neither here nor gone. */
  readonly unreadable: readonly Unreadable[];
}

/**
 * Lists the tool files of a folder and its sub-folders. What starts with "."
 * is left out, so of a Kubernetes ConfigMap only its links are seen; links are
 * followed. Pipes, sockets and devices are left out.
 */
export async function listFolder(dir: string): Promise<FolderListing> {
  const walk: Walk = { files: [], scripts: [], directories: [], unreadable: [] };
  await visit(walk, { absolute: dir, path: "", above: [] });
  walk.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const extra = walk.files.splice(MAX_TOOL_FILES);
  for (const { path } of extra) {
    walk.unreadable.push({ path, reason: `is one too many: at most ${MAX_TOOL_FILES} tool files are read` });
  }
  walk.scripts.splice(MAX_TOOL_FILES);
  return walk;
}

interface Walk {
  readonly files: FoundFile[];
  readonly scripts: FoundFile[];
  readonly directories: string[];
  readonly unreadable: Unreadable[];
}

interface Folder {
  readonly absolute: string;
  readonly path: string;
  /** Identities of the folders around it: a link back to one of them is not followed. */
  readonly above: readonly string[];
}

async function visit(walk: Walk, folder: Folder): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder.absolute);
  } catch (error) {
    walk.unreadable.push({ path: folder.path, reason: whyUnreadable(error) });
    return;
  }
  walk.directories.push(folder.absolute);
  for (const name of names.sort()) {
    if (!name.startsWith(".")) await visitEntry(walk, folder, name);
  }
}

async function visitEntry(walk: Walk, folder: Folder, name: string): Promise<void> {
  const absolute = join(folder.absolute, name);
  const path = folder.path === "" ? name : `${folder.path}/${name}`;
  try {
    const stats = await stat(absolute);
    if (stats.isFile() && isToolFile(name)) walk.files.push({ path, absolute, size: stats.size });
    if (stats.isFile() && SCRIPT_FILE.test(name)) walk.scripts.push({ path, absolute, size: stats.size });
    if (!stats.isDirectory()) return;
    const identity = `${stats.dev}:${stats.ino}`;
    if (folder.above.includes(identity)) return;
    if (folder.above.length >= MAX_FOLDER_DEPTH) {
      walk.unreadable.push({ path, reason: `lies too deep: sub-folders are read ${MAX_FOLDER_DEPTH} deep` });
      return;
    }
    await visit(walk, { absolute, path, above: [...folder.above, identity] });
  } catch (error) {
    // A link whose target is away for a moment is not the same as a file that was removed.
    if (isToolFile(name)) walk.unreadable.push({ path, reason: whyUnreadable(error) });
  }
}

export function isToolFile(name: string): boolean {
  return TOOL_FILE.test(name);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by the gateway",
  EPERM: "may not be read by the gateway",
  ENOTDIR: "is not a folder",
  ELOOP: "is a link that leads in a circle",
  EMFILE: "cannot be read: too many files are open",
};

export function whyUnreadable(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    (typeof code === "string" ? REASONS[code] : undefined) ?? `cannot be read (${String(code ?? "unknown error")})`
  );
}
