import { readFileSync } from "node:fs";
import { UsageError } from "./exit-codes.ts";

/** @throws UsageError in words, where the file cannot be read; `what` is such as "The file of the API key". */
export function readBytes(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a folder" : `cannot be read (${code})`;
    throw new UsageError(`${what} ${file} ${why}.`);
  }
}

export function readText(file: string, what: string): string {
  return readBytes(file, what).toString("utf8");
}
