import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { extname, join } from "node:path";

/** A document as it is on disk now. */
export interface FoundFile {
  /** Relative to the folder, with "/". */
  readonly path: string;
  /** Changes when the file does. */
  readonly stamp: string;
}

export interface Scan {
  readonly files: readonly FoundFile[];
  /** Documents that are left out: too large, or too many. */
  readonly skipped: number;
}

export interface ScanLimits {
  /** Lower case, with the dot. */
  readonly extensions: readonly string[];
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Of all documents together. */
  readonly maxTotalBytes: number;
}

const DEEPEST = 16;
const NOT_FOLLOWED = new Set(["node_modules"]);

/**
 * Looks through a folder for documents, in the order of their paths. Links are
 * not followed, so nothing outside is found; hidden folders are left out.
 */
export async function scanFolder(root: string, limits: ScanLimits): Promise<Scan> {
  const paths = (await pathsIn(await realpath(root), "", limits)).sort();
  const files: FoundFile[] = [];
  let total = 0;
  let skipped = 0;
  for (const path of paths) {
    const found = await stat(join(root, path)).catch(() => undefined);
    if (found === undefined) continue;
    const fits = files.length < limits.maxFiles && found.size <= limits.maxFileBytes;
    if (fits && total + found.size <= limits.maxTotalBytes) {
      total += found.size;
      files.push({ path, stamp: `${found.mtimeMs} ${found.size} ${found.ino}` });
    } else {
      skipped += 1;
    }
  }
  return { files, skipped };
}

async function pathsIn(root: string, folder: string, limits: ScanLimits): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (isDocument(entry, limits)) paths.push(path);
    else if (isFolder(entry, path)) paths.push(...(await pathsIn(root, path, limits).catch(() => [])));
  }
  return paths;
}

function isDocument(entry: Dirent, { extensions }: ScanLimits): boolean {
  return entry.isFile() && extensions.includes(extname(entry.name).toLowerCase());
}

function isFolder(entry: Dirent, path: string): boolean {
  return (
    entry.isDirectory() &&
    !entry.name.startsWith(".") &&
    !NOT_FOLLOWED.has(entry.name) &&
    path.split("/").length < DEEPEST
  );
}
