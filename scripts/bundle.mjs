// Bundles the gateway's sources with what they import into a few files, so that it starts in a third of the time.
// The sources stay what is run while they are newer: see services/gateway/src/cli/toolgate.mjs.
import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const gateway = join(root, "services/gateway");
// Below the gateway's own modules, where those that are not bundled are found.
const name = process.argv[2] ?? "toolgate";
const folder = join(gateway, "node_modules/.cache", name);
const made = `${folder}.${process.pid}`;
const out = join(made, "code");

// These find their own files beside themselves.
const external = ["@grpc/reflection", "grpc-health-check"];

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: join(gateway, "src/cli/main.ts"), ...workers() },
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  external,
  metafile: true,
  logLevel: "error",
  banner: {
    js: 'import { createRequire as toolgateCreateRequire } from "node:module"; const require = toolgateCreateRequire(import.meta.url);',
  },
});

/** Threads begin in files of their own: packages/scripts/src/worker-files.ts looks for them under these names. */
function workers() {
  const folder = join(root, "packages/scripts/src");
  const languages = readdirSync(folder).filter((name) => existsSync(join(folder, name, "worker.ts")));
  return Object.fromEntries(languages.map((name) => [`${name}-worker`, join(folder, name, "worker.ts")]));
}

/** The project's own sources in the bundle, with size and time: any change makes it old. */
const sources = Object.keys(metafile.inputs)
  .filter((file) => !file.includes("node_modules/"))
  .map((file) => {
    const { mtimeMs, size } = statSync(join(root, file));
    return [relative(root, join(root, file)), mtimeMs, size];
  });
// `toolgate init` looks for them beside the folder of its code.
cpSync(join(gateway, "src/cli/templates"), join(made, "templates"), { recursive: true });
writeFileSync(join(made, "sources.json"), JSON.stringify(sources));
// Whole or not at all: a command may start at any moment.
rmSync(folder, { recursive: true, force: true });
renameSync(made, folder);
