import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const client = dirname(import.meta.dirname);

const CONFIG = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    lib: ["es2024", "esnext.disposable"],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  },
};

/** A folder of a program that depends on this package, gone when the test ends. */
export function program(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-client-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules/@toolgate"), { recursive: true });
  symlinkSync(client, join(folder, "node_modules/@toolgate/client"));
  symlinkSync(join(client, "node_modules/@types"), join(folder, "node_modules/@types"));
  const all = { "package.json": '{"type":"module"}', "tsconfig.json": JSON.stringify(CONFIG), ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return folder;
}

/** What the compiler says of a program; empty where all is well. */
export function compilerErrors(files: Readonly<Record<string, string>>): string {
  const folder = program(files);
  const { stdout, stderr } = spawnSync(join(client, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
}
