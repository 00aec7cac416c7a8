// Everything that must hold besides the tests: protos, generated code, lint, types. Ends with one line.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), "toolgate-check-"));

const projects = ["packages", "services", "examples"]
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .concat("bench", "scripts")
  .flatMap((folder) => ["tsconfig.json", "tsconfig.test.json"].map((file) => join(folder, file)))
  .filter((file) => existsSync(join(root, file)));

const checks = [
  ["protos are formatted", "buf", ["format", "--diff", "--exit-code"]],
  ["protos pass the lint", "buf", ["lint"]],
  ["protos break nothing of the last release", "buf", ["breaking", "--against", "proto/released.binpb"]],
  ["code is generated anew", "buf", ["generate", "--output", scratch]],
  [
    "generated code is what the protos say",
    "diff",
    ["-r", join(scratch, "packages/contract/src/gen"), "packages/contract/src/gen"],
  ],
  ["lint and format", "biome", ["ci", "--colors=off", "--error-on-warnings", "."]],
  ...projects.map((project) => [`types of ${project}`, "tsc", ["-p", project]]),
];

let failed = 0;
for (const [name, command, args] of checks) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status === 0) {
    console.log(`ok      ${name}`);
    continue;
  }
  failed += 1;
  console.log(`FAILED  ${name}\n${stdout ?? ""}${stderr ?? ""}`);
}
rmSync(scratch, { recursive: true, force: true });
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
