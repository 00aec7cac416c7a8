#!/usr/bin/env node
// Plain JavaScript, so that it runs on any Node: older ones are told what is needed, and from 24 on the compiled
// form of everything that follows is kept for the next start, which then costs half as much.
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

const NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(`Toolgate needs Node ${NEEDED} or newer; this is ${process.version}.\n`);
  process.exit(2);
}
try {
  // In the user's own folder: what lies in a shared one could have been put there by somebody else.
  module.enableCompileCache(join(homedir(), ".cache", "toolgate"));
} catch {
  // A user without a home folder starts a little slower.
}
await import("./main.ts");
