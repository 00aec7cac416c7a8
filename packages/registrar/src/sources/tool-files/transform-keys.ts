import { readFileSync, realpathSync, statSync } from "node:fs";
import { extname, isAbsolute, relative } from "node:path";
import {
  DEFAULT_SCRIPT_TIMEOUT_MS,
  MAX_SCRIPT_BYTES,
  MAX_SCRIPT_TIMEOUT_MS,
  SCRIPT_LANGUAGES,
  type ScriptLanguage,
  type TransformSpec,
} from "@toolgate/core";
import { duration, listed } from "@toolgate/documents";
import { z } from "zod";

/** `response.transform` of a tool file: the script itself, or the file that it is in. */
export const transformSchema = z.strictObject({
  language: z.enum(SCRIPT_LANGUAGES).optional(),
  source: z.string().min(1).optional(),
  file: z.string().min(1).optional(),
  timeout: duration({ minMs: 1, maxMs: MAX_SCRIPT_TIMEOUT_MS }).optional(),
});
export type TransformKeys = z.output<typeof transformSchema>;

const LANGUAGE_OF_ENDING: Readonly<Record<string, ScriptLanguage>> = {
  ".js": "javascript",
  ".mjs": "javascript",
};

export interface ScriptPlace {
  /** Makes a path that the tool file names absolute. */
  readonly resolvePath: (path: string) => string;
  /** Says what is wrong with a key of the transform, or with all of it. */
  readonly complain: (key: keyof TransformKeys | undefined, message: string) => undefined;
}

/** The script that the keys name; `undefined` where something is wrong, which has been said. */
export function readTransform(keys: TransformKeys, place: ScriptPlace): TransformSpec | undefined {
  const { source: written, file, timeout } = keys;
  if ((written === undefined) === (file === undefined)) {
    return place.complain(undefined, 'A transform has exactly one of "source" and "file": the script, or where it is.');
  }
  const language = keys.language ?? LANGUAGE_OF_ENDING[extname(file ?? "")];
  if (language === undefined) {
    const unless = file === undefined ? "" : ", unless the name of the file ends in .js or .mjs";
    return place.complain(undefined, `The key "language" is missing: expected ${listed(SCRIPT_LANGUAGES)}${unless}.`);
  }
  const source = file === undefined ? (written as string) : readScript(file, place);
  if (source === undefined) return undefined;
  const bytes = Buffer.byteLength(source);
  if (bytes > MAX_SCRIPT_BYTES) return place.complain(file === undefined ? "source" : "file", tooLong(bytes));
  return { language, source, timeoutMs: timeout ?? DEFAULT_SCRIPT_TIMEOUT_MS };
}

/** Only from the tool file's own folder and what is below it, wherever links lead. */
function readScript(file: string, { resolvePath, complain }: ScriptPlace): string | undefined {
  const name = JSON.stringify(file);
  let path: string;
  let folder: string;
  try {
    [path, folder] = [realpathSync(resolvePath(file)), realpathSync(resolvePath("."))];
  } catch {
    return complain("file", `The file ${name} is not there or may not be read.`);
  }
  const below = relative(folder, path);
  if (isAbsolute(below) || below.split(/[\\/]/)[0] === "..") {
    return complain("file", `The file ${name} must be in the folder of the tool file, or below it.`);
  }
  try {
    const { size } = statSync(path);
    if (size > MAX_SCRIPT_BYTES) return complain("file", tooLong(size));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
    return text.includes("\0") ? complain("file", `The file ${name} is no text.`) : text;
  } catch (error) {
    const why = error instanceof TypeError ? "is not text in UTF-8" : "may not be read";
    return complain("file", `The file ${name} ${why}.`);
  }
}

function tooLong(bytes: number): string {
  return `The script is ${bytes} bytes long; at most ${MAX_SCRIPT_BYTES} are read.`;
}
