import { type FSWatcher, statSync, watch } from "node:fs";
import type { Clock, Timer } from "@toolgate/core";
import { FolderFingerprint } from "./fingerprint.ts";

/** The folder is looked at when it has been quiet for this long, … */
export const QUIET_MS = 100;
/** … but not later than this after a change. */
export const MAX_WAIT_MS = 500;
/** Without any notice of a change, as from a network mount, it is looked at this often. */
export const POLL_MS = 2_000;

const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (ms, task) => {
    const timer = setTimeout(task, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/**
 * Calls back whenever the tool files of a folder may have changed: once when
 * the watch stands (what happened before that is not missed), then after each
 * change of a name or content. Watches folders, not files: a file that is
 * saved by renaming, or linked as in a Kubernetes ConfigMap, is another file
 * each time. Goes on when the folder is deleted, and when it comes back.
 *
 * @param onChange must not throw
 * @returns a function that ends the watch; nothing is left running
 */
export function watchFolder(dir: string, onChange: () => void, clock: Clock = systemClock): () => void {
  const folderWatch = new FolderWatch(dir, onChange, clock);
  folderWatch.start();
  return () => folderWatch.stop();
}

interface WatchedDirectory {
  readonly identity: string;
  readonly watcher: FSWatcher;
}

class FolderWatch {
  readonly #dir: string;
  readonly #onChange: () => void;
  readonly #clock: Clock;
  readonly #fingerprint: FolderFingerprint;
  readonly #watched = new Map<string, WatchedDirectory>();
  #timer: Timer | undefined;
  #firstEventAt: number | undefined;
  #state: "idle" | "looking" | "stopped" = "idle";
  #last: string | undefined;

  constructor(dir: string, onChange: () => void, clock: Clock) {
    this.#dir = dir;
    this.#onChange = onChange;
    this.#clock = clock;
    this.#fingerprint = new FolderFingerprint(dir);
  }

  start(): void {
    this.#watchOnly([this.#dir]);
    void this.#look();
  }

  stop(): void {
    this.#state = "stopped";
    this.#timer?.cancel();
    this.#watchOnly([]);
  }

  #noticed(): void {
    const now = this.#clock.monotonic();
    this.#firstEventAt ??= now;
    if (this.#state !== "idle") return;
    const left = this.#firstEventAt + MAX_WAIT_MS - now;
    this.#lookIn(Math.max(0, Math.min(QUIET_MS, left)));
  }

  #lookIn(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.schedule(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    if (this.#state !== "idle") return;
    this.#state = "looking";
    this.#firstEventAt = undefined;
    const { fingerprint, directories } = await this.#fingerprint.take(this.#clock.now());
    if (this.#isStopped()) return;
    this.#state = "idle";
    const isNewDirectory = this.#watchOnly([this.#dir, ...directories]);
    const hasChanged = fingerprint !== this.#last;
    this.#last = fingerprint;
    // What changed while looking, or in a folder that was not watched yet, wants another look soon.
    this.#lookIn(this.#firstEventAt !== undefined || isNewDirectory ? QUIET_MS : POLL_MS);
    if (hasChanged) this.#onChange();
  }

  #isStopped(): boolean {
    return this.#state === "stopped";
  }

  /** Whether a folder is watched now that was not before. */
  #watchOnly(directories: readonly string[]): boolean {
    for (const [path, { watcher }] of this.#watched) {
      if (directories.includes(path)) continue;
      watcher.close();
      this.#watched.delete(path);
    }
    return directories.map((path) => this.#watch(path)).includes(true);
  }

  /** A folder that was deleted and made again is another one: the old watch would stay silent. */
  #watch(path: string): boolean {
    const identity = identityOf(path);
    const before = this.#watched.get(path);
    if (before?.identity === identity) return false;
    before?.watcher.close();
    this.#watched.delete(path);
    if (identity === undefined) return false;
    try {
      const watcher = watch(path, { persistent: false }, () => this.#noticed());
      // Polling goes on without it.
      watcher.on("error", () => watcher.close());
      this.#watched.set(path, { identity, watcher });
      return true;
    } catch {
      return false;
    }
  }
}

function identityOf(path: string): string | undefined {
  try {
    // The number of a deleted folder may be given to its successor; the time of birth tells them apart.
    const { dev, ino, birthtimeMs } = statSync(path);
    return [dev, ino, birthtimeMs].join();
  } catch {
    return undefined;
  }
}
