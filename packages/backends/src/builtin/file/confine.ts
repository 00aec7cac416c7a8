import { lstat, mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { BuiltinToolError } from "../tool.ts";
import { codeOf, fileError, inWords } from "./file-errors.ts";

const LONGEST_PATH = 4096;
const DRIVE = /^[A-Za-z]:/;
const OUTSIDE = "it leads out of the folder that these tools may use";

/**
 * A folder that paths may not leave: not by "..", not as absolute paths, not
 * through symbolic links. Whoever can change the folder by other means while
 * a call runs is trusted not to swap folders for links.
 */
export class Confinement {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The real path of a regular file that exists. */
  existing(path: string): Promise<string> {
    const parts = partsOf(path);
    return inWords(path, async () => {
      const root = await this.#realRoot();
      const real = await realpath(join(root, ...parts));
      await demandFile(path, root, real);
      return real;
    });
  }

  /** The real path of a file to be written, and whether it exists; its folder is made where needed. */
  writable(path: string): Promise<{ readonly real: string; readonly exists: boolean }> {
    const parts = partsOf(path);
    return inWords(path, async () => {
      const root = await this.#realRoot();
      const target = join(root, ...parts);
      const real = await realIfThere(target);
      if (real !== undefined) {
        await demandFile(path, root, real);
        return { real, exists: true };
      }
      if (await isLink(target)) throw fileError("NOT_ALLOWED", path, "it is a symbolic link that leads nowhere");
      const folder = await makeFolder(path, root, dirname(target));
      return { real: join(folder, basename(target)), exists: false };
    });
  }

  async #realRoot(): Promise<string> {
    try {
      const root = await realpath(this.#root);
      if ((await stat(root)).isDirectory()) return root;
    } catch (cause) {
      throw noRoot(cause);
    }
    throw noRoot();
  }
}

function noRoot(cause?: unknown): BuiltinToolError {
  return new BuiltinToolError("NO_FOLDER", "The folder of these tools does not exist; an operator has to make it.", {
    cause,
  });
}

function partsOf(path: string): string[] {
  if (path === "" || path.length > LONGEST_PATH) throw fileError("INVALID_PATH", path, "it is empty or too long");
  if (path.includes("\0")) throw fileError("INVALID_PATH", path, "it holds a NUL character");
  if (isAbsolute(path) || DRIVE.test(path)) {
    throw fileError("NOT_ALLOWED", path, "it must be relative to the folder of these tools");
  }
  const parts = path.split(/[/\\]/).filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw fileError("NOT_ALLOWED", path, 'it must not contain ".."');
  if (parts.length === 0) throw fileError("NOT_A_FILE", path, "it is a folder");
  // A backslash is a letter of a name on this system, and was only looked at for "..".
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

async function demandFile(path: string, root: string, real: string): Promise<void> {
  if (!isInside(root, real)) throw fileError("NOT_ALLOWED", path, OUTSIDE);
  const found = await lstat(real);
  if (found.isFile()) return;
  throw fileError("NOT_A_FILE", path, found.isDirectory() ? "it is a folder" : "it is not a regular file");
}

async function realIfThere(target: string): Promise<string | undefined> {
  try {
    return await realpath(target);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function isLink(target: string): Promise<boolean> {
  try {
    return (await lstat(target)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Makes a folder, after its nearest existing parent has proved to be inside; checks the result once more. */
async function makeFolder(path: string, root: string, folder: string): Promise<string> {
  let parent = folder;
  let real = await realIfThere(parent);
  while (real === undefined) {
    if (await isLink(parent))
      throw fileError("NOT_ALLOWED", path, "a part of it is a symbolic link that leads nowhere");
    parent = dirname(parent);
    real = await realIfThere(parent);
  }
  if (!isInside(root, real)) throw fileError("NOT_ALLOWED", path, OUTSIDE);
  await mkdir(folder, { recursive: true });
  const made = await realpath(folder);
  if (!isInside(root, made)) throw fileError("NOT_ALLOWED", path, OUTSIDE);
  return made;
}
