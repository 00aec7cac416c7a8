// Installs what the project needs, when it is not there yet. Plain JavaScript with nothing but Node's own
// modules, because it runs before anything is installed, also on Node 20.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".toolgate-installed");
const inputs = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];

const hash = createHash("sha256");
for (const file of inputs) hash.update(readFileSync(join(root, file)));
const wanted = `${hash.digest("hex")} ${root}`;

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  console.error("Installing what Toolgate needs (once) …");
  const { status } = spawnSync("npx", ["--yes", packageManager, "install", "--frozen-lockfile", "--reporter=silent"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) {
    console.error(
      "The installation failed; the lines above say why. It needs the npm registry. Try again with: npm start",
    );
    process.exit(1);
  }
  bundle();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Only a faster start depends on it, so that a failure is said and is no more than that. */
function bundle() {
  const node = join(root, "node_modules/.bin/node");
  const { status } = spawnSync(existsSync(node) ? node : process.execPath, [join(root, "scripts/bundle.mjs")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) console.error("The gateway could not be bundled; it will start from its sources, a little slower.");
}
