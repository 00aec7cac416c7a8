import { quotedExcerpt } from "@toolgate/core";
import { BuiltinToolError } from "../tool.ts";

/** A path as the caller gave it, as it may stand in a message. */
export function shown(path: string): string {
  return quotedExcerpt(path, 200);
}

type Words = readonly [code: string, words: string];

const WORDS: Readonly<Record<string, Words>> = {
  EACCES: ["NOT_ALLOWED", "the file system does not allow it"],
  EDQUOT: ["NO_SPACE", "there is no space left"],
  EISDIR: ["NOT_A_FILE", "it is a folder"],
  ELOOP: ["NOT_ALLOWED", "it is a symbolic link that leads nowhere"],
  EMFILE: ["BUSY", "too many files are open at the moment"],
  ENAMETOOLONG: ["INVALID_PATH", "it is too long"],
  ENFILE: ["BUSY", "too many files are open at the moment"],
  ENOENT: ["NOT_FOUND", "there is no such file"],
  ENOSPC: ["NO_SPACE", "there is no space left"],
  ENOTDIR: ["NOT_FOUND", "a part of it is a file and not a folder"],
  EPERM: ["NOT_ALLOWED", "the file system does not allow it"],
  EROFS: ["NOT_ALLOWED", "the file system is read-only"],
  ETXTBSY: ["BUSY", "it is being run at the moment"],
};

/** Runs file operations; their errors, whose messages hold absolute paths, come out in plain words. */
export async function inWords<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const words = WORDS[codeOf(error) ?? ""];
    if (words === undefined) throw error;
    throw fileError(words[0], path, words[1], error);
  }
}

export function fileError(code: string, path: string, words: string, cause?: unknown): BuiltinToolError {
  return new BuiltinToolError(code, `The path ${shown(path)} cannot be used: ${words}.`, { cause });
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
