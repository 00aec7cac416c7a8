import type { AuditLog } from "@toolgate/core";
import { AuditFiles, type FileAuditOptions } from "./audit-files.ts";
import { readPage } from "./read-page.ts";

const TICK_MS = 3_600_000;

/**
 * JSON lines in files, for one process at a time. Entries are added by whole
 * lines in append mode, so that the end of the process at any moment leaves at
 * most one cut line, at the end of the newest file.
 *
 * @throws Error in words where the file cannot be opened
 */
export async function openFileAuditLog(options: FileAuditOptions): Promise<AuditLog> {
  const { clock } = options;
  const files = await AuditFiles.open(options);
  /** One thing at a time is done to the files. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const result = last.then(task, task);
    last = result.catch(() => {});
    return result;
  };
  const tick = () => {
    timer = clock.schedule(TICK_MS, tick);
    inTurn(() => files.tidy()).catch((error: unknown) => options.onError?.(error));
  };
  let timer = clock.schedule(TICK_MS, tick);
  return {
    append: (entries) => inTurn(() => files.append(entries)),
    read: (query) => readPage(files, query),
    close() {
      timer.cancel();
      return inTurn(() => files.close());
    },
  };
}
