import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileError, inWords } from "./file-errors.ts";

/** What a file is called by its caller, and where it really is. */
export interface FilePlace {
  readonly path: string;
  readonly real: string;
}

// Never through a link that took the place of the file, and never waiting for a pipe's other end.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The text of a file of at most `maxBytes`. What is not UTF-8 text is refused in words. */
export function readText({ path, real }: FilePlace, maxBytes: number, signal: AbortSignal): Promise<string> {
  return inWords(path, async () => {
    await using file = await open(real, READ);
    const found = await file.stat();
    if (!found.isFile()) throw fileError("NOT_A_FILE", path, "it is not a regular file");
    if (found.size > maxBytes) {
      throw fileError("TOO_LARGE", path, `it has ${found.size} bytes, and at most ${maxBytes} can be read`);
    }
    signal.throwIfAborted();
    const bytes = await file.readFile();
    if (!isUtf8(bytes) || bytes.includes(0)) {
      throw fileError("NOT_TEXT", path, `it is binary (${bytes.length} bytes), and only text can be read`);
    }
    return bytes.toString("utf8");
  });
}

/** Puts text in the place of a file: readers see the old text or the new one, whole. Keeps the file's mode. */
export function writeText({ path, real }: FilePlace, text: string, signal: AbortSignal): Promise<void> {
  return inWords(path, async () => {
    const mode = await modeOf(real);
    const draft = join(dirname(real), `.${randomUUID()}.tmp`);
    try {
      await writeDraft(draft, text, mode);
      signal.throwIfAborted();
      await rename(draft, real);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  });
}

async function writeDraft(draft: string, text: string, mode: number): Promise<void> {
  await using file = await open(draft, "wx", mode);
  await file.writeFile(text, "utf8");
  // On disk before it takes the old file's place: a crash must not leave an empty file.
  await file.sync();
}

const NEW_FILE_MODE = 0o644;

async function modeOf(real: string): Promise<number> {
  const found = await stat(real).catch(() => undefined);
  return found === undefined ? NEW_FILE_MODE : found.mode & 0o777;
}
