import type { ScriptLanguage } from "@toolgate/core";

/** Bundled code lies in one folder, each worker beside what starts it. */
const IS_SOURCE = import.meta.url.endsWith(".ts");

/** The file in which the worker of a language begins. */
export function workerFile(language: ScriptLanguage): URL {
  return new URL(IS_SOURCE ? `./${language}/worker.ts` : `./${language}-worker.mjs`, import.meta.url);
}
