import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { listFolder, MAX_TOOL_FILE_BYTES } from "./folder.ts";

/** A file changed later than this before it was read may change again within the precision of its times. */
const SETTLED_MS = 5_000;

interface Seen {
  readonly stamp: string;
  readonly digest: string;
  readonly isSettled: boolean;
}

export interface FolderState {
  /** Equal exactly when the tool files, and the scripts beside them, have the same names and contents. */
  readonly fingerprint: string;
  readonly directories: readonly string[];
}

/** Tells whether the contents of a folder have changed; reads again only files whose times or size have. */
export class FolderFingerprint {
  readonly #dir: string;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** @param now milliseconds since the epoch, as files are stamped with */
  async take(now: number): Promise<FolderState> {
    const { files, scripts, directories, unreadable } = await listFolder(this.#dir);
    const seen = new Map<string, Seen>();
    for (const { path, absolute } of [...files, ...scripts]) {
      const file = await look(absolute, { before: this.#seen.get(path), now });
      if (file !== undefined) seen.set(path, file);
    }
    this.#seen = seen;
    const contents = [...seen].map(([path, { digest }]) => [path, digest]);
    const troubles = unreadable.map(({ path, reason }) => [path, reason]);
    return { fingerprint: JSON.stringify([contents, troubles]), directories };
  }
}

interface Look {
  readonly before: Seen | undefined;
  readonly now: number;
}

async function look(absolute: string, { before, now }: Look): Promise<Seen | undefined> {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(absolute);
    const stamp = [dev, ino, size, mtimeMs, ctimeMs].join();
    if (before?.isSettled === true && before.stamp === stamp) return before;
    const content = size > MAX_TOOL_FILE_BYTES ? stamp : await readFile(absolute);
    const digest = createHash("sha256").update(content).digest("hex");
    return { stamp, digest, isSettled: now - Math.max(mtimeMs, ctimeMs) > SETTLED_MS };
  } catch {
    return undefined;
  }
}
