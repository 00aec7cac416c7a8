import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type AuditEntry, auditLine, type Clock } from "@toolgate/core";

export interface FileAuditOptions {
  /** Of the newest file; older ones are beside it, with a number at their end. */
  readonly path: string;
  /** A file that would grow beyond this is put aside. */
  readonly maxFileBytes: number;
  /** How many files are kept, the newest one included; at least 1. */
  readonly maxFiles: number;
  /** Files whose newest entry is older are deleted; unset: none for its age. */
  readonly maxAgeMs?: number;
  readonly clock: Clock;
  /** Hears that the last entry of an earlier process was cut by its end; it is left out when reading. */
  readonly onTorn?: () => void;
  /** Hears that an old file could not be deleted; it is tried again later. */
  readonly onError?: (error: unknown) => void;
}

const LINE_BREAK = 0x0a;
const NUMBER_WIDTH = 6;
const DAY_MS = 86_400_000;
/** For the one who runs the gateway, and nobody else: arguments may be private. */
const MODE = 0o600;

/**
 * The files of one log. Each has a number that only grows; the newest is at
 * `path`, and takes its number into its name when it is put aside. That is one
 * rename, so a crash leaves the files in order.
 */
export class AuditFiles {
  readonly #options: FileAuditOptions;
  #newest: FileHandle;
  #number: number;
  /** Of the newest file: bytes that are written for good. */
  #size: number;
  /** Milliseconds since the epoch: when the newest file got its first entry. */
  #since: number;
  /** Whether the newest file ends in a part of a line. */
  #torn = false;

  private constructor(options: FileAuditOptions, newest: FileHandle, state: { number: number; since: number }) {
    this.#options = options;
    this.#newest = newest;
    this.#number = state.number;
    this.#since = state.since;
    this.#size = 0;
  }

  static async open(options: FileAuditOptions): Promise<AuditFiles> {
    try {
      await mkdir(dirname(options.path), { recursive: true });
      const newest = await open(options.path, "a+", MODE);
      const { birthtimeMs, mtimeMs } = await newest.stat();
      const numbers = await numbersOf(options.path);
      const since = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
      const files = new AuditFiles(options, newest, { number: (numbers.at(-1) ?? 0) + 1, since });
      await files.#closeTornLine();
      await files.tidy();
      return files;
    } catch (error) {
      const { code = String(error) } = error as { code?: string };
      throw new Error(
        `The audit log ${options.path} cannot be written (${code}). Choose another file, or its rights.`,
        {
          cause: error,
        },
      );
    }
  }

  /** The number of the newest file, and how much of it may be read. */
  get newest(): { readonly number: number; readonly size: number } {
    return { number: this.#number, size: this.#size };
  }

  /** The numbers of all files, oldest first. */
  async numbers(): Promise<readonly number[]> {
    const aside = await numbersOf(this.#options.path);
    const newest = this.#number;
    return [...aside.filter((number) => number < newest), newest];
  }

  /** Opens a file for reading; `undefined` where it is gone. */
  async openToRead(number: number): Promise<FileHandle | undefined> {
    const path = number === this.#number ? this.#options.path : this.#pathOf(number);
    const handle = await open(path, "r").catch(() => undefined);
    // Put aside meanwhile: what stands at the path may be another file.
    if (path !== this.#options.path || number === this.#number) return handle;
    await handle?.close();
    return open(this.#pathOf(number), "r").catch(() => undefined);
  }

  async append(entries: readonly AuditEntry[]): Promise<void> {
    const { maxFileBytes } = this.#options;
    let lines: Buffer[] = [];
    let bytes = 0;
    for (const entry of entries) {
      const line = Buffer.from(`${auditLine(entry, new Date(entry.time).toISOString())}\n`);
      if (this.#size + bytes + line.length > maxFileBytes && this.#size + bytes > 0) {
        await this.#write(Buffer.concat(lines));
        await this.#putAside();
        lines = [];
        bytes = 0;
      }
      lines.push(line);
      bytes += line.length;
    }
    if (this.#isOld()) await this.#putAside();
    await this.#write(Buffer.concat(lines));
  }

  /** Puts the newest file aside when it is old, and deletes what need not be kept. */
  async tidy(): Promise<void> {
    if (this.#isOld()) await this.#putAside();
    else await this.#deleteOld();
  }

  async close(): Promise<void> {
    await this.#newest.datasync();
    await this.#newest.close();
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    if (this.#size === 0) this.#since = this.#options.clock.now();
    let rest = this.#torn ? Buffer.concat([Buffer.of(LINE_BREAK), bytes]) : bytes;
    while (rest.length > 0) {
      const { bytesWritten } = await this.#newest.write(rest);
      rest = rest.subarray(bytesWritten);
      this.#size += bytesWritten;
      this.#torn = rest.length > 0;
    }
  }

  /** What an earlier process could not write to its end becomes a line of its own, which no reader takes for an entry. */
  async #closeTornLine(): Promise<void> {
    const { size } = await this.#newest.stat();
    this.#size = size;
    if (size === 0) return;
    const { buffer } = await this.#newest.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] === LINE_BREAK) return;
    await this.#newest.write("\n");
    this.#size += 1;
    this.#options.onTorn?.();
  }

  /** So that a quiet log does not keep its entries for longer than it should. */
  #isOld(): boolean {
    const { maxAgeMs, clock } = this.#options;
    return maxAgeMs !== undefined && this.#size > 0 && clock.now() - this.#since >= Math.min(maxAgeMs, DAY_MS);
  }

  async #putAside(): Promise<void> {
    const { path } = this.#options;
    await this.#newest.datasync();
    await rename(path, this.#pathOf(this.#number)).catch((error: { code?: string }) => {
      // It was put aside before, and then no new one could be opened.
      if (error.code !== "ENOENT") throw error;
    });
    const before = this.#newest;
    this.#newest = await open(path, "a+", MODE);
    this.#number += 1;
    this.#size = 0;
    this.#torn = false;
    await before.close();
    await this.#deleteOld();
  }

  async #deleteOld(): Promise<void> {
    const { maxFiles, maxAgeMs, clock, path, onError } = this.#options;
    const aside = await numbersOf(path);
    const tooMany = aside.length - (maxFiles - 1);
    for (const [place, number] of aside.entries()) {
      const file = this.#pathOf(number);
      try {
        const expired = maxAgeMs !== undefined && (await stat(file)).mtimeMs < clock.now() - maxAgeMs;
        if (place < tooMany || expired) await unlink(file);
      } catch (error) {
        onError?.(error);
      }
    }
  }

  #pathOf(number: number): string {
    return `${this.#options.path}.${String(number).padStart(NUMBER_WIDTH, "0")}`;
  }
}

/** The numbers of the files that were put aside, oldest first. */
async function numbersOf(path: string): Promise<number[]> {
  const start = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(start) && /^\d{6,15}$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
    .sort((a, b) => a - b);
}
