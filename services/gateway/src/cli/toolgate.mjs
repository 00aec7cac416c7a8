#!/usr/bin/env node
// Plain JavaScript, so that it runs on any Node: older ones are told what is needed, and from 24 on the compiled
// form of everything that follows is kept for the next start, which then costs half as much.
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(`Toolgate needs Node ${NEEDED} or newer; this is ${process.version}.\n`);
  process.exit(2);
}
keepCompiled();
await import(bundle() ?? "./main.ts");

// The bundle of the same sources starts three times as fast. It is used only while it is what the sources are.
function bundle() {
  const gateway = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const folder = join(gateway, "node_modules/.cache/toolgate");
  try {
    const sources = JSON.parse(readFileSync(join(folder, "sources.json"), "utf8"));
    const isFresh = sources.every(([file, time, size]) => {
      const now = statSync(`${gateway}/../../${file}`);
      return now.mtimeMs === time && now.size === size;
    });
    return isFresh ? join(folder, "code/main.mjs") : undefined;
  } catch {
    return undefined;
  }
}

// In the user's own folder: what lies in a shared one could have been put there by somebody else. Made one level at a
// time, because Node itself would try for ever below a home that is none, such as /proc.
function keepCompiled() {
  try {
    const cache = join(homedir(), ".cache");
    const own = join(cache, "toolgate");
    for (const folder of [cache, own]) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    module.enableCompileCache(own);
  } catch {
    // A user without a home folder, or with one that cannot be written to, starts a little slower.
  }
}
