import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = import.meta.dirname;
const examples = readdirSync(folder).filter((name) => existsSync(join(folder, name, "main.ts")));

it("there are examples", () => {
  expect(examples).toContain("http-tool");
});

// Each asserts what it shows, and ends by itself.
it.each(examples)("the example %s runs and holds", { timeout: 60_000 }, async (name) => {
  const child = spawn(process.execPath, [join(folder, name, "main.ts")], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`${name}: ok`) });
});
