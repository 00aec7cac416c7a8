import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const root = dirname(import.meta.dirname);
// Not the one in use: other tests start commands meanwhile.
const name = `bundle-test-${process.pid}`;
const bundle = join(root, "services/gateway/node_modules/.cache", name);

function run(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
}

describe("the bundle", { timeout: 60_000 }, () => {
  it("is made of every source that the command loads, and works where it lies", () => {
    onTestFinished(() => rmSync(bundle, { recursive: true, force: true }));
    expect(run("scripts/bundle.mjs", name)).toMatchObject({ status: 0, stderr: "" });
    const sources = (JSON.parse(readFileSync(join(bundle, "sources.json"), "utf8")) as [string][]).map(
      ([file]) => file,
    );
    expect(sources).toContain("packages/core/src/registry/apply.ts");
    expect(sources).toContain("services/gateway/src/compose/gateway.ts");
    const main = join(bundle, "code/main.mjs");
    expect(run(main, "--version").stdout.trim()).toBe("0.1.0");
    const folder = mkdtempSync(join(tmpdir(), "toolgate-bundle-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(run(main, "init", folder).status).toBe(0);
    expect(readdirSync(folder)).toContain("gateway.yaml");
    expect(run(main, "validate", "--config", join(folder, "gateway.yaml"))).toMatchObject({ status: 0 });
    // A thread begins in a file of its own, which must be in the bundle, too.
    const workers = readdirSync(join(bundle, "code")).filter((file) => file.endsWith("-worker.mjs"));
    expect(workers).toContain("javascript-worker.mjs");
    for (const language of workers.map((file) => file.replace("-worker.mjs", ""))) {
      const file = join(folder, `${language}.json`);
      const response = { transform: { language, source: "nothing" } };
      writeFileSync(file, JSON.stringify({ name: "t", type: "http", endpoint: "http://127.0.0.1/", response }));
      const { status, stderr } = run(main, "validate", "--file", file);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringMatching(/transform script (failed|defines)/),
      });
    }
  });
});
